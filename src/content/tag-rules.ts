/** Rules for tags that a page leaves out, by the tree construction of HTML5. */
const names = (list: string): ReadonlySet<string> => new Set(list.split(' '));

export const VOID = names(
  'area base basefont bgsound br col embed frame hr img input keygen link meta param source track wbr',
);

/** Their start tag ends a paragraph. */
export const ENDS_PARAGRAPH = names(
  'address article aside blockquote center details dialog dir div dl dd dt fieldset figcaption figure footer form h1 h2 h3 h4 h5 ' +
    'h6 header hgroup hr li listing main menu nav ol p plaintext pre search section summary table ul xmp',
);

export const HEADINGS = names('h1 h2 h3 h4 h5 h6');

/** What the tree builder calls formatting: cut off by the end of a block, it goes on in the next one. */
export const FORMATTING = names('a b big code em font i nobr s small strike strong tt u');

/** An end tag looks no further up than to these. */
export const SPECIAL = names(
  'address applet area article aside base basefont bgsound blockquote body br button caption center col colgroup dd details dir ' +
    'div dl dt embed fieldset figcaption figure footer form frame frameset h1 h2 h3 h4 h5 h6 head header hgroup hr html iframe ' +
    'img input keygen li link listing main marquee menu meta nav noembed noframes noscript object ol p param plaintext pre ' +
    'script search section select source style summary table tbody td template textarea tfoot th thead title tr track ul wbr xmp',
);

/** Elements at which the search for an open element stops. */
export const SCOPE = names('applet caption html table td th marquee object template svg math');
export const BUTTON_SCOPE = names('applet caption html table td th marquee object template svg math button');
export const LIST_SCOPE = names('applet caption html table td th marquee object template svg math ol ul');
export const TABLE_SCOPE = names('html table template');

/** Formatting opened before one of these is not carried on in it. */
export const MARKERS = names('applet caption marquee object td template th');

export const TABLE_PARTS = names('caption col colgroup tbody td tfoot th thead tr');
export const ROW_GROUPS = names('tbody tfoot thead');

/** Their end tags close them where they are in scope, with whatever is open in them. */
export const BLOCK_ENDS = names(
  'address applet article aside blockquote button center details dialog dir div dl fieldset figcaption figure footer form header ' +
    'hgroup listing main marquee menu nav object ol pre search section summary ul',
);

/** Elements that stand before the body. */
export const HEAD_CONTENT = names('base basefont bgsound link meta noframes noscript script style template title');
