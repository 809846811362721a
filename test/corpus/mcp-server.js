/** mcp-server.js DIR…: the MCP server of these corpora on stdin and stdout. */
import { serveMcp } from '../../dist/src/corpus/mcp/server.js';

await serveMcp(process.argv.slice(2), '0.0.0-test', process.stdin, process.stdout);
