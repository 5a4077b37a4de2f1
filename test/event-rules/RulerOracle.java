import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import software.amazon.event.ruler.Machine;

/** Reads lines of {"pattern": ..., "event": ...} and answers each with true, false or invalid. */
public final class RulerOracle {
  public static void main(String[] args) throws Exception {
    ObjectMapper mapper = new ObjectMapper();
    BufferedReader in = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
    PrintStream out = new PrintStream(System.out, false, StandardCharsets.UTF_8);
    for (String line = in.readLine(); line != null; line = in.readLine()) {
      JsonNode item = mapper.readTree(line);
      out.println(answer(item.get("pattern").toString(), item.get("event").toString()));
    }
    out.flush();
  }

  @SuppressWarnings("deprecation")
  private static String answer(String pattern, String event) throws Exception {
    Machine machine = new Machine();
    try {
      machine.addRule("rule", pattern);
    } catch (Exception invalid) {
      return "invalid";
    }
    return String.valueOf(!machine.rulesForJSONEvent(event).isEmpty());
  }
}
