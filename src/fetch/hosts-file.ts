import { readFileSync } from 'node:fs';
import { isIP } from 'node:net';
import { join } from 'node:path';

/** What the system's hosts file says, by name in lower case: c-ares does not look into it when it is asked for records. */
export function readHostsFile(): Map<string, string[]> {
  const path =
    process.platform === 'win32'
      ? join(process.env.SystemRoot ?? 'C:\\Windows', 'System32', 'drivers', 'etc', 'hosts')
      : '/etc/hosts';
  try {
    return parseHostsFile(readFileSync(path, 'utf8'));
  } catch {
    // A machine without one has no names of its own.
    return new Map();
  }
}

export function parseHostsFile(text: string): Map<string, string[]> {
  const addresses = new Map<string, string[]>();
  for (const line of text.split('\n')) {
    const [address = '', ...names] = line.replace(/#.*/, '').trim().split(/\s+/);
    if (isIP(address) === 0) continue;
    for (const name of names) {
      const key = name.toLowerCase();
      addresses.set(key, [...(addresses.get(key) ?? []), address]);
    }
  }
  return addresses;
}
