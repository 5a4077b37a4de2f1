package bench;

import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.IntStream;
import org.apache.camel.Exchange;
import org.apache.camel.builder.RouteBuilder;
import org.apache.camel.builder.ThreadPoolBuilder;
import org.apache.camel.component.http.HttpClientConfigurer;
import org.apache.camel.main.Main;
import org.apache.camel.util.concurrent.ThreadPoolRejectedPolicy;
import org.apache.hc.core5.http.message.BasicHeader;

/** Drains one survey with two nested parallel splits: Drain URL SURVEY CONCURRENCY DIRECTORY. */
public final class Drain extends RouteBuilder {
  private static final int PAGES_AHEAD = 8;

  private final String url;
  private final String survey;
  private final int concurrency;
  private final String directory;
  private final CountDownLatch drained = new CountDownLatch(1);
  private final AtomicBoolean ended = new AtomicBoolean();

  private Drain(String url, String survey, int concurrency, String directory) {
    this.url = url;
    this.survey = survey;
    this.concurrency = concurrency;
    this.directory = directory;
  }

  public static void main(String[] arguments) throws Exception {
    var drain = new Drain(arguments[0], arguments[1], Integer.parseInt(arguments[2]), arguments[3]);
    var main = new Main();
    // As many as there are requests in flight, pages and sub-requests together; the default is 20 to one host.
    main.addInitialProperty("camel.component.http.connectionsPerRoute", arguments[2]);
    main.addInitialProperty("camel.component.http.maxTotalConnections", arguments[2]);
    main.configure().addRoutesBuilder(drain);
    main.start();
    drain.drained.await();
    main.stop();
  }

  @Override
  public void configure() throws Exception {
    // The header belongs to a body by Camel's rules, and the service wants it on requests that have none.
    var contentType = new BasicHeader("Content-Type", "application/json");
    HttpClientConfigurer json = client -> client.setDefaultHeaders(List.of(contentType));
    getContext().getRegistry().bind("json", HttpClientConfigurer.class, json);
    // One page is read by the thread that counts them, when all others are taken: so it does not run ahead.
    var pages = new ThreadPoolBuilder(getContext())
        .poolSize(PAGES_AHEAD - 1).maxPoolSize(PAGES_AHEAD - 1).maxQueueSize(0)
        .rejectedPolicy(ThreadPoolRejectedPolicy.CallerRuns).build("pages");
    var others = concurrency - PAGES_AHEAD;
    var subRequests = new ThreadPoolBuilder(getContext())
        .poolSize(others).maxPoolSize(others).maxQueueSize(-1).build("subRequests");

    onException(Exception.class).process(exchange -> {
      exchange.getProperty(Exchange.EXCEPTION_CAUGHT, Exception.class).printStackTrace();
      System.exit(1);
    });

    from("timer:drain?repeatCount=1&delay=0")
        .setHeader(Exchange.HTTP_METHOD, constant("POST"))
        .setHeader(Exchange.CONTENT_TYPE, constant("application/x-www-form-urlencoded"))
        .setBody(constant("clientId=bench&clientSecret=bench"))
        .to(url + "/oauth/token/")
        .unmarshal().json(Map.class)
        .setHeader("Authorization", simple("bearer ${body[token]}"))
        .setHeader(Exchange.HTTP_METHOD, constant("GET"))
        .setBody(exchange -> pageNumbers())
        .split(body()).streaming().parallelProcessing().executorService(pages)
            .to("direct:page")
        .end()
        .process(exchange -> drained.countDown());

    from("direct:page")
        .setHeader(Exchange.HTTP_PATH, simple("page/${body}/order/asc/"))
        .to("direct:get")
        .unmarshal().json(List.class)
        .setBody(exchange -> responseIds(exchange.getMessage().getBody(List.class)))
        .split(body()).parallelProcessing().executorService(subRequests)
            .to("direct:response")
        .end();

    from("direct:response")
        .setVariable("id", body())
        .setHeader(Exchange.HTTP_PATH, simple("${variable.id}/metrics/"))
        .to("direct:get")
        .setVariable("metrics", bodyAs(String.class))
        .setHeader(Exchange.HTTP_PATH, simple("${variable.id}/metadata/"))
        .to("direct:get")
        .setVariable("metadata", bodyAs(String.class))
        .setBody(simple("{\"responseId\":${variable.id},"
            + "\"metrics\":${variable.metrics},\"metadata\":${variable.metadata}}"))
        .to("stream:file?fileName=" + directory + "/responses.jsonl");

    from("direct:get")
        .setBody(constant((Object) null))
        .to(url + "/api/v3/surveys/" + survey + "/responses/?httpClientConfigurer=#json");
  }

  /** Until a page is seen that is empty. */
  private Iterator<Integer> pageNumbers() {
    return IntStream.iterate(1, page -> !ended.get(), page -> page + 1).iterator();
  }

  /** A response is listed once for each of its answers; its sub-requests are made once. */
  private List<Object> responseIds(List<Map<String, Object>> records) {
    if (records.isEmpty()) ended.set(true);
    return records.stream()
        .filter(record -> Integer.valueOf(1).equals(record.get("completed")))
        .map(record -> record.get("responseId"))
        .distinct()
        .toList();
  }
}
