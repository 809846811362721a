const CREDENTIALS = /^(https?:[/\\]*|[a-z][a-z0-9+.-]*:[/\\]{2,})[^/\\?#]*@/i;

/** A URL as it may be kept: without a name or password. Whatever its query holds stays. */
export function withoutCredentials(url: string): string {
  return url.replace(CREDENTIALS, '$1');
}
