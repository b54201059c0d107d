import com.amazonaws.services.dynamodbv2.local.main.ServerRunner;
import com.amazonaws.services.dynamodbv2.local.server.DynamoDBProxyServer;
import org.eclipse.jetty.server.Server;
import org.eclipse.jetty.server.ServerConnector;

/** Starts DynamoDB Local on 127.0.0.1 and a free port, and prints the port. By default it listens to the whole network. */
class Loopback {
    public static void main(String[] args) throws Exception {
        var proxy = ServerRunner.createServerFromCommandLineArgs(new String[] {"-inMemory", "-disableTelemetry", "-port", "8000"});
        var field = DynamoDBProxyServer.class.getDeclaredField("server");
        field.setAccessible(true);
        var server = (Server) field.get(proxy);
        var connector = (ServerConnector) server.getConnectors()[0];
        connector.setHost("127.0.0.1");
        connector.setPort(0);
        proxy.start();
        System.out.println("listening on " + connector.getLocalPort());
    }
}
