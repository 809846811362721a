/** How texts begin that want something of the reader or lead elsewhere, by what they want; in the languages that most pages are written in. */
export const LEADS: readonly (readonly [name: string, pattern: RegExp])[] = [
  [
    'also',
    /^\W*(?:read (?:more|also|next|this)|also read|see also|more on this|related(?: (?:articles?|stor(?:y|ies)|news|posts?))?\W*:|watch|don.t miss|lesen sie (?:auch|hier|mehr)|lies auch|mehr (?:dazu|zum thema|infos)|auch interessant|siehe auch|weiterlesen|passend dazu|lire (?:aussi|.galement)|.{1,2} lire\b|voir aussi|lea(?: (?:tambi.n|m.s|adem.s)|\W*:)|leer? (?:tambi.n|m.s)|vea(?: (?:tambi.n|m.s)|\W*:)|ver (?:tambi.n|m.s)|mira(?: tambi.n|\W*:)|tambi.n (?:lea|puede|te)|te puede interesar|le puede interesar|m.s informaci.n|noticia relacionada|leggi (?:anche|pure)|vedi anche|guarda anche|leia (?:tamb.m|mais)|veja (?:tamb.m|mais)|czytaj (?:te.|tak.e|wi.cej)|zobacz (?:te.|tak.e|r.wnie.)|przeczytaj|lees (?:ook|meer|verder)|bekijk ook|les (?:også|mer)|l.s (?:ocks.|ogs.|mer)|citi.i .i|читайте (?:также|по теме)|смотрите также|см\. также|по теме|διαβ.στε|延伸阅读|相关(?:阅读|新闻))/i,
  ],
  [
    'related',
    /^\W*(?:related|read (?:more|next|also)|more (?:from|on|posts|stories|articles|news|in|about)\b|more\W*$|also read|see also|you (?:may|might)|recommended|most (?:read|popular|viewed)|popular|trending|latest|recent|top stories|up next|keep reading|editor.s picks|further reading|don.t miss|what.s new|more like this|other (?:news|articles|posts|stories)|continue reading|in other news|mehr (?:zum|aus|von|artikel|news|infos|informationen|themen|dazu|lesen|zu)|mehr\W*$|lesen sie|lies (?:auch|mehr)|auch (?:interessant|lesen)|das k.nnte|verwandte|meistgelesen|weiterlesen|weitere|zum thema|aktuelle|neueste|passend|hier (?:geht|mehr)|siehe auch|beliebt|empfohlen|lire (?:aussi|plus|la suite)|.{0,2}\blire aussi|voir aussi|articles? (?:similaires|li.s|r.cents|connexes)|sur le m.me|plus (?:d|sur)|en savoir plus|dans la m.me|derniers|les plus (?:lus|r.cents)|art.culos|tambi.n|lo m.s|te puede|leer? (?:m.s|tambi.n)|lea |vea |ver m.s|m.s (?:noticias|sobre|le.d|informaci)|noticias relacionadas|relacionad|leggi anche|leggi tutto|articoli|potrebbe|ti potrebbe|leia (?:mais|tamb.m)|veja (?:mais|tamb.m)|mais (?:lidas|sobre|not)|not.cias relacionad|czytaj|zobacz|polecane|podobne|przeczytaj|lees (?:ook|meer|verder)|meer |gerelateerd|ilgili|ayr.ca|читайте|по теме|смотрите|также|похожие|другие|διαβ.στε|δε.τε|σχετικ.|les (?:også|mer)|l.s (?:mer|ocks.|ogs.|mere)|citit?e?.te|相关|延伸阅读|推荐|相關|関連|あわせて読)/i,
  ],
  [
    'share',
    /^\W*(?:share|follow|tweet|like us|pin it|teilen|folgen|partag|suivez|compart|s.gu[ae]nos|condivid|seguici|udost.pnij|delen|payla|поделиться|подпис|分享|facebook\b|twitter\b|whatsapp\b|linkedin\b|e-?mail\W*$|link kopieren|copy link|embed)/i,
  ],
  [
    'sign up',
    /^(?:\W*(?:sign (?:up|in)|subscribe|join (?:our|the|us)|get (?:the|our)|stay (?:in touch|up to date|informed|tuned)|log ?in|register|create (?:an )?account|start your|try |jetzt (?:anmelden|abonnieren|registrieren|testen)|anmelden|abonnieren|registrieren|newsletter|abonnez|inscri|connectez|suscr|recib[ae]|reg.str|iscriviti|abbonati|assine|cadastre|zapisz|zaloguj|inloggen|abonneer)|.{0,40}newsletter)/i,
  ],
  [
    'comments',
    /^\W*(?:(?:\d+|no|add|post|write|view|all|show|hide|read|leave|one)?\s*(?:a\s)?(?:comments?|responses?|replies|reply|thoughts on)\b|discussion|join the (?:discussion|conversation)|leave a|your email|e-mail-adresse|ihre e-mail|(?:\d+ )?kommentare?\b|kommentieren|antworten|diskutieren|schreibe einen|(?:\d+ )?commentaires?\b|laisser|r.pondre|r.agir|(?:\d+ )?coment.rios?\b|(?:\d+ )?comentarios?\b|deja|responder|d.janos|commenti|rispondi|komentarz|reageer|reacties|yorum|комментар|ответить|评论|コメント|.{1,60} (?:says|said|sagt|schreibt|meint|dit|dice)\s*:?\W*$)/i,
  ],
  [
    'ad',
    /^\W*(?:advertis\w*|sponsored|ads?|anzeigen?|werbung|publicit.|publicidad|pubblicit.|promo\w*|reklama?|реклама|shop now|buy now|jetzt (?:kaufen|bestellen)|angebot|in den warenkorb|add to cart|partner)(?:\b|\W|$)/i,
  ],
  [
    'author',
    /^\W*(?:about the author|about (?:me|us)\b|written by|posted by|by |author|edited by|reported by|reporting by|von [A-ZÄÖÜ]|.ber (?:den|die|uns|mich)|autor|verfasst|redaktion|par [A-Z]|. propos|r.dig|por [A-ZÁÉ]|sobre (?:el|a|o)|di [A-Z]|da [A-Z]|door |autore?|автор|kontakt|contact|ansprechpartner|presse)/i,
  ],
  [
    'tags',
    /^\W*(?:tags?|tagged|topics?|filed (?:under|in)|categor|posted in|posted|keywords?|labels?|themen?|schlag(?:w.rter|worte)|stichw.rter|kategorien?|rubrik|mots.cl.s|th.mes?|cat.gories?|etiquetas?|temas?|categor.as?|tagi|теги|trefwoorden|标签)\b/i,
  ],
  ['cookies', /cookies?\b|datenschutz|privacy|consent|javascript|adblock|browser/i],
  [
    'copyright',
    /©|\(c\)|copyright|all rights|alle rechte|tous droits|todos los derechos|licen[sc]e|lizenz|impressum|imprint|terms of|disclaimer|haftung/i,
  ],
  [
    'date',
    /\b(?:19|20)\d\d\b|\b\d{1,2}[./:]\d{1,2}\b|\b\d+ (?:min|hours?|days?|stunden|tage|jours|heures|horas|d.as)/i,
  ],
  [
    'contents',
    /^\W*(?:in this (?:article|section|page|guide)|on this page|(?:table of )?contents?\W*$|inhalt(?:sverzeichnis)?\W*$|sommaire|.ndice|jump to|skip to|overview\W*$|sections?\W*$|.bersicht\W*$|indice)/i,
  ],
  [
    'ways',
    /^\W*(?:next|prev|previous|back|home|menu|zur.ck|weiter|n.chste|vorherige|startseite|suivant|pr.c.dent|accueil|retour|siguiente|anterior|inicio|volver|nav|search|suche|up\b|older|newer|top\b|nach oben|close|schlie.en|fermer|cerrar|show|hide|expand|open|loading|page \d|seite \d|view |click|klick|hier\b|zum |zur )/i,
  ],
  [
    'credit',
    /^\W*(?:photo|foto|image|bild|picture|quelle|source|credits?|fuente|cr.dit|getty|afp|dpa|reuters|shutterstock|pixabay|illustration|abbildung|grafik|fig(?:ure)?\b|video|watch|screenshot|immagine|archiv)|(?:getty|afp|dpa|reuters|shutterstock|pixabay|unsplash|picture alliance|imago)/i,
  ],
  [
    'tool',
    /^\W*(?:print|drucken|download|herunterladen|pdf|imprimer|imprimir|save|merken|listen|anh.ren|vorlesen|.couter|rate|bewert|was this|did you find|war dies|helpful|like|zoom|vergr..ern|edit|copy|kopieren|report|melden|donate|spenden|support|unterst.tz|soutenez|apoya)/i,
  ],
  [
    'updated',
    /(?:\d+ ?min(?:ute)?s?\b|lesezeit|lesedauer|reading time|views|aufrufe|updated|aktualisiert|stand:|ver.ffentlicht|published|publi.|actualizado|mis . jour|aggiornato|\bago\b|\bvor \d|\d+:\d\d|uhr\b)/i,
  ],
];
