import type { Chance } from '../../../support/random.ts'

const GREEK = 'αβγδεζηθικλμνξοπρστυφχψω'
const MARKS = [
  '**',
  '*',
  '_',
  '__',
  '~~',
  '`',
  '***',
  '[',
  ']',
  '](',
  '<',
  '>',
  '&',
  '&amp;',
  '\\',
  '!',
  ':',
  '#',
]

/**
 * Markdown as models write it, and as they should not. What people are to read in it is in Greek letters, and nothing
 * else is.
 */
export function createSamples(random: Chance) {
  const word = () => random.list(1, 8, () => random.pick([...GREEK])).join('')
  const pair = (mark: string, inner: () => string) => `${mark}${inner()}${mark}`
  const address = () =>
    random.pick([
      'http://a.b/c?d=1&e=2',
      'https://x.y/z_(q)',
      'javascript:alert(1)',
      '/here',
      'mailto:a@b.cd',
      'http://x y',
    ])
  const piece = (deep = 0): string => {
    const inner = () => (deep > 2 ? word() : words(deep + 1))
    return random.pick<() => string>([
      word,
      word,
      word,
      word,
      () => pair('**', inner),
      () => pair('*', inner),
      () => pair('_', inner),
      () => pair('~~', inner),
      () => pair('`', word),
      () => `[${inner()}](${address()})`,
      () => `![${word()}](${address()})`,
      () =>
        random.pick([
          'http://www.example.com/a_b',
          '<https://a.b>',
          'a@b.cd',
          '<b>',
          '</b>',
          '<br>',
          '&lt;',
          '&#38;',
        ]),
      () => random.pick(['😀', '👨‍👩‍👧‍👦', 'e\u0301', '。', '，', '“', '\u0007']),
      () => random.pick(MARKS),
    ])()
  }
  const words = (deep = 0) =>
    random
      .list(1, 6, () => piece(deep))
      .join(random.chance(0.9) ? ' ' : random.pick(['', '  \n', '\n', '\u3000']))
  const line = () => random.list(1, 4, () => words() + random.pick(['.', '!', '。', ',', ''])).join(' ')
  const code = () => {
    const fence = random.pick(['```', '```', '~~~', '````'])
    const lines = random.list(0, 12, () =>
      random.pick(['', `  ${word()}`, word(), `${word()} <&> \`${word()}\``, '    x = 1']),
    )
    return [
      fence + random.pick(['', 'js', 'python title="a"', 'c++']),
      ...lines,
      ...(random.chance(0.9) ? [fence] : []),
    ]
  }
  const table = () => {
    // A row that has more cells than the head loses them, and two tables may touch.
    const columns = 2
    const row = (cell: () => string) => `| ${random.list(columns, columns, cell).join(' | ')} |`
    return [
      row(() => 'x'.repeat(random.int(0, 9))),
      row(() => random.pick(['---', ':-:', '--:'])),
      ...random.list(0, 6, () => row(word)),
    ]
  }
  const block = (deep = 0): string[] => {
    const inner = (margin: string, first = margin) =>
      random
        .list(1, 3, () => block(deep + 1))
        .flat()
        .map((text, index) => `${index === 0 ? first : margin}${text}`)
    return random.pick<() => string[]>([
      () => [line()],
      () => random.list(1, 4, line),
      () => [`${'#'.repeat(random.int(1, 6))} ${words()}`],
      code,
      table,
      () => [
        random.pick(['---', '***', '===', '', '    indented', '<div>', '<!--', '[a]: http://x.y', '\t']),
      ],
      () =>
        random.list(
          1,
          5,
          (index) => `${random.pick(['-', '*', `${index + 1}.`])} ${random.pick(['', '[x] '])}${line()}`,
        ),
      () => (deep > 2 ? [line()] : inner('> ')),
      () => (deep > 2 ? [line()] : inner('  ', '- ')),
      () => (deep > 2 ? [line()] : inner('   ', '1. ')),
    ])()
  }
  const text = (least: number, most: number) =>
    random
      .list(least, most, () => block().join('\n'))
      .join(random.pick(['\n\n', '\n\n', '\n\n', '\n', '\r\n\r\n']))
  const noise = (most: number) =>
    random.list(0, most, () => random.pick([...MARKS, '\n', ' ', '\n\n', '- ', '> ', '```', word()])).join('')
  return { word, line, text, noise }
}

/** True if a rendering may omit or repeat words of the text: info strings of code, addresses of links. */
export const mayLoseWords = (text: string) =>
  /^[ \t>*+.)\-\d]*(?:```|~~~).*[α-ω]|\[[^\]]*[α-ω][^\]]*\]:|(?:https?:|www\.|mailto:)\S*[α-ω]/m.test(text)

/** Returns the words of a text that people must be able to read, without the characters between them. */
export const greekOf = (text: string) => text.replace(/[^α-ω]/g, '')

const ALLOWED =
  /^(?:<(?:b|i|u|s|pre|blockquote|code(?: class="language-[\w+#.-]+")?|a href="[^"<>]+")>|<\/(?:b|i|u|s|pre|blockquote|code|a)>)$/

/** What is wrong with a text in Telegram's HTML. */
export function findHtmlFaults(text: string): string[] {
  const faults: string[] = []
  const open: string[] = []
  for (const [tag] of text.matchAll(/<[^>]*>?/g)) {
    const name = /[a-z]+/.exec(tag)?.[0] ?? ''
    if (!ALLOWED.test(tag)) faults.push(`${tag} is no tag`)
    else if (!tag.startsWith('</')) {
      if (open.includes(name)) faults.push(`${tag} within itself`)
      if (open.includes('code') || (open.includes('pre') && name !== 'code'))
        faults.push(`${tag} within code`)
      open.push(name)
    } else if (open.pop() !== name) faults.push(`${tag} closes something else`)
  }
  if (open.length > 0) faults.push(`${open} is open at the end`)
  for (const [entity] of text.matchAll(/&\w*;?/g))
    if (!/^&(?:amp|lt|gt|quot);$/.test(entity)) faults.push(`${entity} is no entity`)
  if (text.replace(/<[^>]*>/g, '').includes('>')) faults.push('an angle that is not escaped')
  return faults
}
