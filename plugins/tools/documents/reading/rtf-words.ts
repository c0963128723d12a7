/** Groups whose content is not text of the document. */
export const SKIPPED = new Set(
  'colortbl info pict fldinst atnid atnauthor atndate atnref bkmkstart bkmkend listtable listoverridetable revtbl rsidtbl generator themedata colorschememapping datastore latentstyles xmlnstbl filetbl nonshppict shprslt sp mmathPict nonesttables objdata objclass pn pnseclvl ftnsep ftnsepc aftnsep aftnsepc template private xe tc'.split(
    ' ',
  ),
)
/** Groups that older programs are to skip, but whose content is text. */
export const OPTIONAL = new Set('shpinst shptxt ud moMath moMathPara annotation listtext footnote'.split(' '))
/** Groups with a text of their own, within a paragraph. */
export const ASIDES = new Set(
  'footnote annotation header headerl headerr headerf footer footerl footerr footerf shptxt'.split(' '),
)
/** Characters that are written as words. */
export const CHARACTERS: Record<string, string> = {
  tab: '\t',
  line: '\n',
  lbr: '\n',
  softline: '\n',
  emdash: '—',
  endash: '–',
  lquote: '‘',
  rquote: '’',
  ldblquote: '“',
  rdblquote: '”',
  bullet: '•',
  emspace: ' ',
  enspace: ' ',
  qmspace: ' ',
  zwj: '\u200d',
  zwnj: '\u200c',
  nestcell: ' | ',
  nestrow: '\n',
}
/** The marks before the parts of formulas, which end with a bracket. */
export const FORMULA_MARKS: Record<string, string> = { mnum: '(', mden: '/(', msup: '^(', msub: '_(' }
/** Characters that are written behind a backslash. */
export const SYMBOLS: Record<string, string> = {
  '~': '\u00a0',
  _: '-',
  '\\': '\\',
  '{': '{',
  '}': '}',
  '\n': '\n',
  '\r': '\n',
  '\t': '\t',
}
/** The signs of Symbol and Wingdings that mark items of lists. */
export const BULLETS = new Set([0xb7, 0xa7, 0xd8, 0xfc, 0x6f, 0x71, 0x76])
