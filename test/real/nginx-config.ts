/** What nginx is told: one port where the Host header chooses the site, and one port of its own per site. */
export function nginxConfig(
  folder: string,
  sharedPort: number,
  sites: readonly { host: string; root: string; port: number }[],
  options: { accessLogFile?: string; gzip?: boolean; charset?: string },
): string {
  // Started as root, nginx hands its workers to a user who may not enter the project's folder.
  const user = process.getuid?.() === 0 ? 'user root;' : '';
  return `${user}
worker_processes 1;
worker_rlimit_nofile 16384;
pid ${quoted(`${folder}/nginx.pid`)};
error_log stderr notice;
events { worker_connections 8192; }
http {
  access_log ${options.accessLogFile === undefined ? 'off' : quoted(options.accessLogFile)};
  gzip ${options.gzip ? 'on' : 'off'};
  gzip_types text/plain text/css text/xml text/javascript application/json image/svg+xml;
  charset ${options.charset === undefined ? 'off' : quoted(options.charset)};
  charset_types text/plain text/css text/xml text/javascript application/json;
  autoindex off;
  index index.html;
  # A Location without host and port: right for both ways to reach a site.
  absolute_redirect off;
  sendfile on;
  tcp_nopush on;
  keepalive_requests 1000000;
  client_body_temp_path ${quoted(`${folder}/body`)};
  proxy_temp_path ${quoted(`${folder}/proxy`)};
  fastcgi_temp_path ${quoted(`${folder}/fastcgi`)};
  uwsgi_temp_path ${quoted(`${folder}/uwsgi`)};
  scgi_temp_path ${quoted(`${folder}/scgi`)};
  default_type application/octet-stream;
  types {
    ${MIME_TYPES.map(([type, endings]) => `${type} ${endings};`).join('\n    ')}
  }
${sites.map((site) => serverBlock(site, sharedPort)).join('')}}
`;
}

function serverBlock({ host, root, port }: { host: string; root: string; port: number }, sharedPort: number): string {
  return `  server {
    listen 127.0.0.1:${sharedPort};
    listen 127.0.0.1:${port};
    server_name ${host};
    root ${quoted(root)};
  }
`;
}

/** nginx expands $ in some values and has no escape for it, so a path that has one is refused. */
function quoted(value: string): string {
  if (/[$\n]/.test(value)) {
    throw new Error(`nginx cannot be given the path ${JSON.stringify(value)}`);
  }
  return `"${value.replace(/["\\]/g, '\\$&')}"`;
}

const MIME_TYPES = [
  ['text/html', 'html htm'],
  ['application/xhtml+xml', 'xhtml'],
  ['text/css', 'css'],
  ['text/javascript', 'js mjs'],
  ['text/plain', 'txt md py'],
  ['text/xml', 'xml'],
  ['application/json', 'json'],
  ['application/gzip', 'gz'],
  ['application/zip', 'zip'],
  ['application/pdf', 'pdf'],
  ['image/svg+xml', 'svg'],
  ['image/png', 'png'],
  ['image/gif', 'gif'],
  ['image/jpeg', 'jpg jpeg'],
  ['image/x-icon', 'ico'],
  ['font/woff', 'woff'],
  ['font/woff2', 'woff2'],
] as const;
