const names = (list: string): ReadonlySet<string> => new Set(list.split(' '));

/** Elements that stand on lines of their own. All others are part of a line, unless they hold one of these. */
export const BLOCKS = names(
  'address article aside blockquote body caption center dd details dialog dir div dl dt fieldset figcaption figure footer form h1 ' +
    'h2 h3 h4 h5 h6 header hgroup hr html legend li listing main menu nav ol p plaintext pre search section summary table tbody td ' +
    'tfoot th thead tr ul xmp',
);

export const HEADINGS = names('h1 h2 h3 h4 h5 h6');

/** Controls, players and pictures without a file: nothing to read. */
export const UNREADABLE = names(
  'applet area audio base basefont bgsound button canvas col colgroup datalist embed frame frameset head input keygen link map ' +
    'meta meter noscript optgroup option param progress rp script select source style svg template textarea title track video',
);
