/** Figures as people read them. */

/** `4.2 s`, `3 min 05 s`, `2 h 07 min`, `3 d 4 h`. */
export function formatDuration(ms: number): string {
  if (ms < 1000) {
    return `${Math.max(0, Math.round(ms))} ms`;
  }
  if (ms < 59_950) {
    return `${(ms / 1000).toFixed(1)} s`;
  }
  const seconds = Math.round(ms / 1000);
  if (seconds < 3600) {
    return `${Math.floor(seconds / 60)} min ${pad(seconds % 60)} s`;
  }
  const minutes = Math.floor(seconds / 60);
  if (minutes < 24 * 60) {
    return `${Math.floor(minutes / 60)} h ${pad(minutes % 60)} min`;
  }
  const hours = Math.floor(minutes / 60);
  return `${Math.floor(hours / 24)} d ${hours % 24} h`;
}

/** An estimate: without tenths, and in minutes without seconds. */
export function formatRoughly(ms: number): string {
  if (ms < 59_500) {
    return `${Math.max(1, Math.round(ms / 1000))} s`;
  }
  return ms < 3_570_000 ? `${Math.round(ms / 60_000)} min` : formatDuration(ms);
}

/** `512 B`, `1.5 KiB`, `20 MiB`. */
export function formatBytes(bytes: number): string {
  const units = ['B', 'KiB', 'MiB', 'GiB', 'TiB', 'PiB'];
  let amount = bytes;
  let unit = 0;
  // 1023.95 and more would be shown as 1024.
  while (amount >= 1023.95 && unit < units.length - 1) {
    amount /= 1024;
    unit += 1;
  }
  const text = unit === 0 ? String(Math.round(amount)) : amount.toFixed(1).replace(/\.0$/, '');
  return `${text} ${units[unit]}`;
}

/** `1,234,567`. Not by `toLocaleString`: the first call of it loads the languages of the world, which takes 18 ms of every start. */
export const formatCount = (count: number): string => String(Math.round(count)).replace(/\B(?=(?:\d{3})+$)/g, ',');

/** `1 host`, `1,234 hosts`. */
export function counted(count: number, one: string, many = `${one}s`): string {
  return `${formatCount(count)} ${Math.round(count) === 1 ? one : many}`;
}

function pad(figure: number): string {
  return String(figure).padStart(2, '0');
}
