/** Why the robots.txt of an origin cannot be had: what was answered, or why nothing was. */
export function robotsTrouble(status: number | null, message: string | null): string {
  if (status !== null) {
    return status === 429 || status >= 500
      ? `robots.txt was answered with HTTP ${status}`
      : 'the answer to robots.txt broke off';
  }
  return message === null ? 'robots.txt was not answered' : `robots.txt was not answered: ${message}`;
}
