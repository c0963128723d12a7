import t from '../../run/file-test.ts'
import { startServer } from '../../support/server.ts'
import { createSkillCalls } from './skill-calls.ts'

const server = await startServer(t)
const { createAgent, writeSkill } = createSkillCalls(server)

type Heads = Record<string, [content: string | Buffer, name: string, description: string]>

/** Lists the names and descriptions of skills with these texts, by slug. */
async function listHeads(texts: Record<string, string | Buffer>) {
  const agent_id = await createAgent()
  for (const [slug, text] of Object.entries(texts)) writeSkill(agent_id, slug, { 'SKILL.md': text })
  const { body } = await server.request('GET', `/agents/${agent_id}/skills?limit=200`)
  return new Map<string, { name: string; description: string }>(
    body.map(({ slug, name, description }: Record<string, string>) => [slug, { name, description }]),
  )
}

const descriptions: [written: string, meant: string][] = [
  ['Counts parcels. Keywords: parcel', 'Counts parcels. Keywords: parcel'],
  ['Use when: a, b: c', 'Use when: a, b: c'],
  ['Use when the user asks to:', 'Use when the user asks to:'],
  ['[Beta] Counts parcels', '[Beta] Counts parcels'],
  ['[Beta]', '[Beta]'],
  ['{Beta} Counts parcels', '{Beta} Counts parcels'],
  ['{{ description }}', '{{ description }}'],
  ['@mentions of people', '@mentions of people'],
  ['`svc` commands', '`svc` commands'],
  ['%TEMP% cleaner', '%TEMP% cleaner'],
  ['*Bold* words', '*Bold* words'],
  ['*bold*', '*bold*'],
  ['&co letters', '&co letters'],
  ['!important things', '!important things'],
  ['? questions', '? questions'],
  ['- dashes', '- dashes'],
  ['> quotes', '> quotes'],
  ['| pipes', '| pipes'],
  [', commas', ', commas'],
  ['] brackets', '] brackets'],
  ['Mends issue #12 and #13', 'Mends issue #12 and #13'],
  ['When the # of items is high', 'When the # of items is high'],
  ['#general posts', '#general posts'],
  ['# of items', '# of items'],
  ['Posts to\n  #general: daily', 'Posts to #general: daily'],
  ['C# and F#', 'C# and F#'],
  ['"Quoted: yes" # a comment', 'Quoted: yes'],
  ['"Quoted" and more', '"Quoted" and more'],
  ['"One" or "two"', '"One" or "two"'],
  ['"He said "hi" to me"', 'He said "hi" to me'],
  ["'it's good: yes'", "it's good: yes"],
  ["'it''s good'", "it's good"],
  ['"Reads C:\\path: \\"all\\""', 'Reads C:\\path: "all"'],
  ['"never closed', 'never closed'],
  ['"\\u4f1a\\u8bae"', '会议'],
  ['\tafter a tab', 'after a tab'],
  ['first\n\tthen: a tab', 'first then: a tab'],
  ['first\nthen without indent, yes', 'first then without indent, yes'],
  ['one\n\n  two: three', 'one two: three'],
  ['>-\n  folded: yes\n  # kept\n\n  [more]', 'folded: yes # kept [more]'],
  ['|\n  literal: yes\n  @more', 'literal: yes @more'],
  ['|+ # a comment\n  literal', 'literal'],
  ['>\nnot indented, yes', 'not indented, yes'],
  ['\n  on the next line: yes', 'on the next line: yes'],
  ['\n  - one\n  - two', '- one - two'],
  ['first\ndescription: last', 'last'],
  ['null', 'The body'],
  ['~', 'The body'],
  ['', 'The body'],
  ['""', 'The body'],
  ['值：“会议”，关键词: 纪要', '值：“会议”，关键词: 纪要'],
]

t.test('A description comes out as its author means it, beside fields that are valid or not', async (t) => {
  const around: [fieldsAbove: string, fieldsBelow: string][] = [
    ['name: Parcels\n', '\nlicense: MIT\n'],
    ['name: Parcels\nargument-hint: [file] [count]\n', '\nmetadata:\n  tags: @a\n'],
    ['', '\nname: Parcels'],
  ]
  for (const [fieldsAbove, fieldsBelow] of around) {
    const texts = descriptions.map(
      ([written], index) =>
        [
          `s${index}`,
          `---\n${fieldsAbove}description: ${written}${fieldsBelow}\n---\n\n# Head\nThe body\n`,
        ] as const,
    )
    const heads = await listHeads(Object.fromEntries(texts))
    for (const [index, [written, meant]] of descriptions.entries()) {
      const { name, description } = heads.get(`s${index}`)!
      t.strictSame([name, description], ['Parcels', meant], `${fieldsAbove}${written}`)
    }
    const windows = texts.map(([slug, text]) => [slug, `\ufeff${text.replaceAll('\n', '\r\n')}`])
    t.strictSame(await listHeads(Object.fromEntries(windows)), heads, 'the same with CRLF and a mark')
  }
})

t.test('Odd front matter never fails', async (t) => {
  const utf16 = Buffer.from('\ufeff---\nname: Wide\ndescription: 会议: 纪要\n---\n', 'utf16le')
  const odd: Heads = {
    empty: ['', 'empty', ''],
    unclosed: ['---\nname: x\ndescription: y: z\n\ntext', 'x', 'y: z'],
    'unclosed-head': ['---\nname: x\n# Head\ntext', 'x', 'text'],
    rule: ['---\nSome text\n', 'rule', 'Some text'],
    'rule-below': ['---\nname: x\ndescription: y\n\nText: more\n\n---\nrest', 'x', 'y'],
    dots: ['---\nname: x\n...\ntext', 'x', 'text'],
    'after-lines': ['\n \n---\nname: x\n---\ntext', 'x', 'text'],
    indented: ['---\n  name: x\n  description: a: b\n---\ntext', 'x', 'a: b'],
    case: ['---\nName: x\nDESCRIPTION: a: b\n---\ntext', 'x', 'a: b'],
    keys: ['---\n"name": x\n"description" : a: b\n---\ntext', 'x', 'a: b'],
    wide: ['---\nname：x\ndescription：会议\n---\ntext', 'x', '会议'],
    tight: ['---\nname:x\ndescription:y\n---\ntext', 'x', 'y'],
    json: ['---\n{"name": "x", "description": "a: b"}\n---\ntext', 'x', 'a: b'],
    list: ['---\n- a\n- b\n---\n\n## Head\nThe text', 'list', 'The text'],
    broken: ['---\nname: "x\n---\nThe text', 'x', 'The text'],
    numbers: ['---\nname: 12\ndescription: true\n---\n', '12', 'true'],
    nested: ['---\nname: [a]\ndescription: {a: b}\n---\nThe text', '[a]', '{a: b}'],
    inner: ['---\nmetadata:\n  name: a\n  description: b\n---\nThe text', 'inner', 'The text'],
    aliases: ['---\nname: &a x\ndescription: *a\n---\nThe text', 'x', 'x'],
    circle: ['---\nname: x\ndescription: &a [*a]\n---\nThe text', 'x', '&a [*a]'],
    comment: ['---\nname: x # the slug\n---\nThe text', 'x', 'The text'],
    tagged: ['---\nname: !!js/function "x"\n---\nThe text', 'x', 'The text'],
    proto: ['---\n__proto__: {name: evil, description: evil}\n---\nThe text', 'proto', 'The text'],
    twice: ['---\nname: a\nname: b\n---\nThe text', 'b', 'The text'],
    control: ['---\nname: "a\\u0007\\nb"\ndescription: "c\\td\\ud800"\n---\n', 'a b', 'c d\ufffd'],
    late: [`---\nfiller: ${'x'.repeat(20_000)}\nname: late\n---\n`, 'late', ''],
    long: [
      `---\nname: ${'n'.repeat(200)}\ndescription: ${'d'.repeat(2000)}\n---\n`,
      `${'n'.repeat(127)}…`,
      `${'d'.repeat(1023)}…`,
    ],
    bytes: [Buffer.from([0x2d, 0x2d, 0x2d, 0x0a, 0xff, 0xfe, 0x0a]), 'bytes', '\ufffd\ufffd'],
    'utf-16le': [utf16, 'Wide', '会议: 纪要'],
    'utf-16be': [Buffer.from(utf16).swap16(), 'Wide', '会议: 纪要'],
  }
  const heads = await listHeads(Object.fromEntries(Object.entries(odd).map(([slug, [text]]) => [slug, text])))
  t.equal(heads.size, Object.keys(odd).length)
  for (const [slug, { name, description }] of heads)
    t.strictSame([name, description], odd[slug]!.slice(1), slug)
})

t.test('Nested and repeated front matter has its bounds', async (t) => {
  const levels = Array.from(
    { length: 12 },
    (_, level) => `l${level + 1}: &l${level + 1} [${`*l${level},`.repeat(9)}]`,
  )
  const sources: Record<string, string> = {
    brackets: `x: ${'['.repeat(15_000)}`,
    maps: `x: ${'{a: '.repeat(3_500)}`,
    dashes: `x:\n${'- '.repeat(7_500)}`,
    marks: `x:\n  ${'? '.repeat(7_500)}`,
    colons: `x: ${'a: '.repeat(5_000)}`,
    lines: Array.from({ length: 170 }, (_, depth) => `${' '.repeat(depth)}a:`).join('\n'),
    laughs: ['l0: &l0 ha', ...levels].join('\n'),
    anchors: `x: ${'&a '.repeat(4_000)}`,
  }
  const texts = Object.entries(sources).map(
    ([slug, source]) => [slug, `---\nname: N\ndescription: a: b\n${source}\n---\n`] as const,
  )
  const inside = Object.entries(sources).map(
    ([slug, source]) => [`in-${slug}`, `---\nname: N\ndescription: ${source.slice(3)}\n---\n`] as const,
  )
  const heads = await listHeads(Object.fromEntries([...texts, ...inside]))
  for (const [slug] of texts) t.match(heads.get(slug), { name: 'N', description: 'a: b' }, slug)
  for (const [slug] of inside) t.match(heads.get(slug), { name: 'N', description: /./ }, slug)
})

t.test('The text of a skill is written back unchanged', async (t) => {
  const agent_id = await createAgent()
  const text = '\ufeff---\r\nname: x\r\ndescription: a: [b] @c #d\r\n---\r\n\ttext\r\n'
  const files = [{ path: 'SKILL.md', content: text }]
  const path = `/agents/${agent_id}/skills`
  t.match(await server.request('POST', path, { body: { slug: 's', files } }), {
    status: 201,
    body: { name: 'x', description: 'a: [b] @c #d' },
  })
  const { body } = await server.request('GET', `${path}/s?contents=true`)
  t.strictSame(body.contents, files)
  await server.request('PUT', `${path}/s`, { body: { files: body.contents } })
  t.strictSame((await server.request('GET', `${path}/s?contents=true`)).body.contents, files)
})
