export function escapeHtml(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;');
}

const ENTITY = /&(?=#?[A-Za-z0-9]+;)/g;

/** The target of a link, so that it is read again as it is. */
export function destination(href: string): string {
  const safe = href.replace(/[\u0000-\u001f\u007f]/g, '').replace(ENTITY, '&amp;');
  const needsBrackets = safe === '' || /[ <>]/.test(safe) || !hasPairedParentheses(safe);
  const escaped = safe.replace(/\\(?=[!-/:-@[-`{-~])/g, '\\\\');
  return needsBrackets ? `<${escaped.replace(/[<>]/g, '\\$&')}>` : escaped;
}

const MOST_PARENTHESES = 30;

function hasPairedParentheses(text: string): boolean {
  let depth = 0;
  for (const character of text) {
    if (character === '(' && ++depth > MOST_PARENTHESES) return false;
    if (character === ')' && --depth < 0) return false;
  }
  return depth === 0;
}
