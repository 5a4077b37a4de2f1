// Drains one survey with the pipeline of pipeline.yaml: drain URL SURVEY CONCURRENCY DIRECTORY.
package main

import (
	"context"
	_ "embed"
	"encoding/json"
	"fmt"
	"log"
	"net/http"
	"net/url"
	"os"
	"strconv"

	_ "github.com/redpanda-data/benthos/v4/public/components/io"
	_ "github.com/redpanda-data/benthos/v4/public/components/pure"
	"github.com/redpanda-data/benthos/v4/public/service"
)

// Part of the requests in flight. Tried: 3 to 8, of which 4 and 5 are best at both latencies.
const pagesAhead = 4

//go:embed pipeline.yaml
var pipeline string

func main() {
	if len(os.Args) != 5 {
		log.Fatal("drain URL SURVEY CONCURRENCY DIRECTORY")
	}
	concurrency, err := strconv.Atoi(os.Args[3])
	if err != nil {
		log.Fatal(err)
	}
	if err := drain(os.Args[1], os.Args[2], concurrency, os.Args[4]); err != nil {
		log.Fatal(err)
	}
}

func drain(base, survey string, concurrency int, directory string) error {
	if err := keepConnections(concurrency); err != nil {
		return err
	}
	token, err := tokenOf(base)
	if err != nil {
		return err
	}
	variables := map[string]string{
		"RESPONSES":   fmt.Sprintf("%s/api/v3/surveys/%s/responses/", base, survey),
		"TOKEN":       token,
		"PAGES_AHEAD": strconv.Itoa(pagesAhead),
		"THREADS":     strconv.Itoa(concurrency - pagesAhead),
		"DIRECTORY":   directory,
	}
	builder := service.NewStreamBuilder()
	builder.SetEnvVarLookupFunc(func(name string) (string, bool) {
		value, ok := variables[name]
		return value, ok
	})
	if err := builder.SetYAML(pipeline); err != nil {
		return err
	}
	stream, err := builder.Build()
	if err != nil {
		return err
	}
	return stream.Run(context.Background())
}

// The http processors use Go's default transport, which keeps only two idle connections to a host.
// None of their fields raises that.
func keepConnections(most int) error {
	transport, ok := http.DefaultTransport.(*http.Transport)
	if !ok {
		return fmt.Errorf("the default transport is a %T", http.DefaultTransport)
	}
	transport.MaxIdleConnsPerHost = most
	return nil
}

// The service's answer is not that of OAuth 2, so the processors' own oauth2 cannot get it.
func tokenOf(base string) (string, error) {
	answer, err := http.PostForm(base+"/oauth/token/", url.Values{"clientId": {"bench"}, "clientSecret": {"bench"}})
	if err != nil {
		return "", err
	}
	defer answer.Body.Close()
	var body struct{ Token string }
	if err := json.NewDecoder(answer.Body).Decode(&body); err != nil {
		return "", err
	}
	if body.Token == "" {
		return "", fmt.Errorf("no token came: %s", answer.Status)
	}
	return body.Token, nil
}
