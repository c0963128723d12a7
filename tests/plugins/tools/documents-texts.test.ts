import { findKind } from '../../../plugins/tools/documents/reading/document-kind.ts'
import { readDocument } from '../../../plugins/tools/documents/reading/reader.ts'
import t from '../../run/file-test.ts'

/** Reads a text by the name of its file. */
const read = async (name: string, source: string) => {
  const bytes = Buffer.from(source)
  return readDocument(bytes, findKind(name, '', bytes)!)
}
const textOf = async (name: string, source: string) => (await read(name, source)).text

t.test('Markdown keeps its front matter, heads, notes and tasks', async (t) => {
  const { text, segments } = await read(
    'a.md',
    '---\ntitle: Plan\ntags: [a, b]\n---\n\n# Plan\n\nSee [the site][1][^1] and <b>bold</b><br>next ![a chart](x.png).\n\n- [x] done\n- [ ] open\n\n| | Pay |\n|--|--|\n| Ann | 51 |\n| Bob | 67 |\n\n[1]: http://example.org\n[^1]: Footnote\n\n<details><summary>More</summary>inside</details>\n',
  )
  t.equal(
    text,
    'title: Plan\ntags: [a, b]\n\nPlan\n\nSee the site[^1] and bold\nnext a chart.\n\n- [x] done\n- [ ] open\n\nAnn | Pay: 51\nBob | Pay: 67\n\n[^1]: Footnote\n\nMore\n\ninside',
  )
  t.equal(segments[0]!.kind, 'text', 'the front matter is no heading')
  t.equal(segments.at(-1)!.heading, 'Plan')
  t.match(await textOf('a.md', '+++\ntitle = "Plan"\n+++\nText'), /^title = "Plan"\n\nText$/)
  t.equal(await textOf('a.md', '---\n\nA rule\n\n---\n'), 'A rule')
})

t.test('JSON keeps its numbers as they are written', async (t) => {
  t.equal(
    await textOf(
      'a.json',
      '[{"id": 12345678901234567890, "sum": 1.10, "note": "1.10"}, {"id": 2, "sum": 1e3, "note": null}]',
    ),
    'id: 12345678901234567890 | sum: 1.10 | note: 1.10\nid: 2 | sum: 1e3',
  )
  t.equal(await textOf('a.json', '{"a": {"b": [1.0]}}'), '{\n  "a": {\n    "b": [\n      1.0\n    ]\n  }\n}')
  t.equal(
    await textOf('a.jsonl', '{"name": "Ann", "age": 5}\n\n{"name": "Bob", "age": 6}\n'),
    'name: Ann | age: 5\nname: Bob | age: 6',
  )
  t.equal(await textOf('a.json', '// a comment\n{"a": 1}'), '// a comment\n{"a": 1}')
  const deep = await readDocument(Buffer.from('['.repeat(200_000)), 'json')
  t.equal(deep.text.length, 200_000)
})

t.test('A notebook is read as its cells', async (t) => {
  const notebook = {
    nbformat: 4,
    cells: [
      { cell_type: 'markdown', source: ['# Sales\n', 'by *month*'] },
      {
        cell_type: 'code',
        source: 'print(1)',
        outputs: [
          { output_type: 'stream', text: ['1\n'] },
          { data: { 'image/png': 'AAAA', 'text/plain': '<Figure>' } },
        ],
      },
      { cell_type: 'raw', source: 'raw' },
    ],
  }
  const { text, segments } = await read('a.ipynb', JSON.stringify(notebook))
  t.equal(text, 'Sales\n\nby month\n\nprint(1)\n\n1\n\n<Figure>\n\nraw')
  t.strictSame(
    segments.map(({ kind }) => kind),
    ['heading', 'text', 'code', 'code', 'code', 'text'],
  )
})

t.test('Subtitles, calendars and contacts are read without what only programs need', async (t) => {
  t.equal(
    await textOf(
      'a.srt',
      '1\n00:00:01,000 --> 00:00:02,500\n<i>Hello,</i>\n\n2\n00:00:03,000 --> 00:00:04,000\n{\\an8}my friend.\n\n3\n00:00:05,000 --> 00:00:06,000\n- Who?\n',
    ),
    'Hello,\nmy friend.\n\n- Who?',
  )
  t.equal(
    await textOf('a.vtt', 'WEBVTT\n\nNOTE no\n\nintro\n00:01.000 --> 00:02.000 align:start\n<v Ann>Hi.\n'),
    'Hi.',
  )
  t.equal(
    await textOf(
      'a.ics',
      'BEGIN:VCALENDAR\r\nVERSION:2.0\r\nBEGIN:VEVENT\r\nUID:1\r\nDTSTART;TZID=Europe/Berlin:20260303T091500\r\nSUMMARY:Fire\\, drill \r\n and walk\r\nATTENDEE;CN="Ann, B.";ROLE=X:mailto:ann@example.org\r\nDESCRIPTION:one\\ntwo\r\nEND:VEVENT\r\nEND:VCALENDAR\r\n',
    ),
    'Start: 2026-03-03 09:15 Europe/Berlin | Summary: Fire, drill and walk | Attendee: Ann, B. <ann@example.org> | Description: one two',
  )
  t.equal(
    await textOf(
      'a.vcf',
      'BEGIN:VCARD\nVERSION:2.1\nN:Müller;Ann\nFN;CHARSET=UTF-8;ENCODING=QUOTED-PRINTABLE:Ann M=C3=\n=BCller\nitem1.TEL;TYPE=work:123\nADR:;;Street 1;Bonn;;53111;\nPHOTO;ENCODING=b:AAAA==\nEND:VCARD\n',
    ),
    'Name: Ann Müller | Phone: 123 | Address: Street 1, Bonn, 53111',
  )
})

t.test('Texts for terminals and printers lose what only those obey', async (t) => {
  t.equal(await textOf('a.log', '\u001b[31mred\u001b[0m text\nN\bNA\bAM\bME\bE _\bx'), 'red text\nNAME x')
  for (const name of ['a.rst', 'a.adoc', 'a.org', 'a.tex'])
    t.equal(await textOf(name, 'Title\n=====\n\nText'), 'Title\n=====\n\nText', name)
})
