/** What is known by name but not part of this version: refused with a sentence of its own, never as "unknown". */

const LATER_COMMANDS: readonly string[] = ['graph', 'diff', 'serve', 'merge', 'cluster'];

/** By flag, without the dashes; what a user can do instead. */
const LATER_OPTIONS: Readonly<Record<string, string>> = {
  'cookie-jar': "a fixed cookie can be sent with --header 'Cookie: …'",
  cert: 'client certificates cannot be sent yet',
  key: 'client certificates cannot be sent yet',
  keep: 'bodies and texts of pages are not kept',
  redis: 'a crawl runs on one machine',
};

export function refuseLaterCommand(name: string): string | null {
  return LATER_COMMANDS.includes(name) ? `\`gossamer ${name}\` is not part of this version` : null;
}

/** @param subject how the user spelt it: `--redis`, `GOSSAMER_REDIS`, … */
export function refuseLaterOption(flag: string, subject: string, value: string | undefined): string | null {
  if (flag === 'rate-limit') {
    return `${subject} does not exist: use --delay, ${rateAsDelay(value)}`;
  }
  if (!Object.hasOwn(LATER_OPTIONS, flag)) {
    return null;
  }
  return `${subject} is not part of this version: ${LATER_OPTIONS[flag]}`;
}

function rateAsDelay(value: string | undefined): string {
  const perSecond = Number(value);
  if (value === undefined || value.trim() === '' || !Number.isFinite(perSecond) || perSecond <= 0) {
    return 'N a second = 1000/N ms';
  }
  // Rounded up: the delay that is suggested must not be faster than the rate that was asked for.
  const delayMs = Math.ceil(1000 / perSecond);
  return `${value} a second = 1000/${value} ms: --delay ${delayMs}`;
}
