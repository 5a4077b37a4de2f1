import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;

/**
 * Reads events with the generated classes, one a line: the name of a class, a tab, the event. Answers each with what it has read, as JSON, or
 * with why it could not.
 */
public class ReadEvents {
    public static void main(String[] args) throws IOException {
        ObjectMapper mapper = new ObjectMapper();
        BufferedReader lines = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        for (String line = lines.readLine(); line != null; line = lines.readLine()) {
            String[] parts = line.split("\t", 2);
            try {
                Object event = mapper.readValue(parts[1], Class.forName("surveypoller.events." + parts[0]));
                System.out.println(mapper.writeValueAsString(event));
            } catch (IOException | ClassNotFoundException e) {
                System.out.println(mapper.writeValueAsString("failed: " + e.getMessage()));
            }
        }
    }
}
