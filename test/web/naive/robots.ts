/** A robots.txt matcher by the letter of RFC 9309, for the group of `gossamer`, else of `*`. */
export function allowedBy(robots: string, path: string): boolean {
  const groups = new Map<string, [string, string][]>();
  let agents: string[] = [];
  let inRules = false;
  for (const line of robots.replace(/^\ufeff/, '').split(/\r\n|\r|\n/)) {
    const [key = '', value = ''] = line
      .replace(/#.*/, '')
      .split(/:(.*)/)
      .map((part) => part.trim());
    if (/^user-agent$/i.test(key)) {
      if (inRules) {
        agents = [];
      }
      inRules = false;
      agents.push(value.toLowerCase());
      groups.set(value.toLowerCase(), groups.get(value.toLowerCase()) ?? []);
    } else if (/^(dis)?allow$/i.test(key)) {
      inRules = true;
      if (value) {
        for (const agent of agents) {
          groups.get(agent)!.push([key.toLowerCase(), value.replace(/%7e/i, '~')]);
        }
      }
    }
  }
  const rules = groups.get('gossamer') ?? groups.get('*') ?? [];
  const matching = rules.filter(([, pattern]) => {
    const source = pattern
      .replace(/[.+?^{}()|[\]\\]/g, '\\$&')
      .replace(/\*/g, '.*')
      .replace(/\$(?!$)/g, '\\$');
    return new RegExp(`^${source}`).test(path);
  });
  matching.sort((a, b) => b[1].length - a[1].length || a[0].localeCompare(b[0]));
  return matching[0]?.[0] !== 'disallow';
}
