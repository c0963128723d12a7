import { readDocument } from '../../../plugins/tools/documents/reading/reader.ts'
import t from '../../run/file-test.ts'

const linesOf = async (source: string) => (await readDocument(Buffer.from(source), 'csv')).text.split(/\n+/)

t.test('The dialect of a table is the one that makes it even', async (t) => {
  const ada = ['Name: Ada | Born: 1815', 'Name: Max | Born: 1900']
  for (const separator of [',', ';', '\t', '|'])
    t.strictSame(await linesOf(`Name,Born\nAda,1815\nMax,1900\n`.replaceAll(',', separator)), ada, separator)
  const dialects: [source: string, lines: string[]][] = [
    ['sep=;\nName;Born\nAda;1815\nMax;1900', ada],
    ['\ufeffName;Born\r\nAda;1815\r\nMax;1900\r\n', ada],
    ['Name,Born,\nAda,1815,\n\nMax,1900,\n,,\n', ada],
    ["'Name','Born'\n'Ada','1815'\n'Max','1900'", ada],
    [
      '"Name; first, last, of birth";City\n"A; B";Bonn\n"C; D";Kiel',
      ['Name; first, last, of birth: A; B | City: Bonn', 'Name; first, last, of birth: C; D | City: Kiel'],
    ],
    [
      'Ware;Preis;Menge\nSchraube;1,99;3,5\nDübel;0,49;2,0',
      ['Ware: Schraube | Preis: 1,99 | Menge: 3,5', 'Ware: Dübel | Preis: 0,49 | Menge: 2,0'],
    ],
    ['id,tags\n1,a;b\n2,c;d\n3,e;f', ['id: 1 | tags: a;b', 'id: 2 | tags: c;d', 'id: 3 | tags: e;f']],
    [
      'user:shell:uid:gid\nroot:bash:0:0\nann:fish:5:5',
      ['user: root | shell: bash | uid: 0 | gid: 0', 'user: ann | shell: fish | uid: 5 | gid: 5'],
    ],
  ]
  for (const [source, lines] of dialects) t.strictSame(await linesOf(source), lines, source)
})

t.test('Quotation marks keep separators, line ends and other marks', async (t) => {
  const cells: [source: string, lines: string[]][] = [
    [
      'Name,Note\nAda,"likes ""; and\nlines"\nBob, "a, b" \n',
      ['Name: Ada | Note: likes "; and lines', 'Name: Bob | Note: a, b'],
    ],
    [
      'Size,Note\n12" pipe,x\n3" pipe,"say "hi, you" now"',
      ['Size: 12" pipe | Note: x', 'Size: 3" pipe | Note: say "hi, you" now'],
    ],
    ['Path,Note\n"C:\\",x\n"a \\"b\\" c",y', ['Path: C:\\ | Note: x', 'Path: a "b" c | Note: y']],
    ['A,B\n"never closed,1\nx,2', ['A: "never closed | B: 1', 'A: x | B: 2']],
  ]
  for (const [source, lines] of cells) t.strictSame(await linesOf(source), lines, source)
})

t.test('Lines above a table, ragged rows, lists and plain texts', async (t) => {
  const texts: [source: string, lines: string[]][] = [
    [
      '# Exported on Monday, by Ann, for Bob\nSales of 2025\n\nCity,Sum\nBonn,12\nKiel,14\n',
      [
        '# Exported on Monday, by Ann, for Bob',
        'Sales of 2025',
        'City: Bonn | Sum: 12',
        'City: Kiel | Sum: 14',
      ],
    ],
    ['#,City\n1,Bonn\n2,Kiel', ['#: 1 | City: Bonn', '#: 2 | City: Kiel']],
    [
      'City,Sum,Note\nBonn,12\nKiel,14,x,y\nUlm,3,z',
      ['City: Bonn | Sum: 12', 'City: Kiel | Sum: 14 | Note: x | y', 'City: Ulm | Sum: 3 | Note: z'],
    ],
    ['1,2,3\n4,5,6', ['1 | 2 | 3', '4 | 5 | 6']],
  ]
  for (const [source, lines] of texts) t.strictSame(await linesOf(source), lines, source)
  const prose =
    'This is a letter, not a table.\nIt has sentences, some of them long, with commas, and others without.\n\nIt ends here. Yours, Ann\n'
  t.strictSame(await linesOf(prose), prose.split(/\n+/).filter(Boolean))
  t.match((await linesOf('Bonn\nKiel\nUlm')).join('\n'), /Bonn[\s\S]*Kiel[\s\S]*Ulm/)
})

t.test('Records of separators alone divide titles from a table', async (t) => {
  t.strictSame(
    await linesOf(
      'Statement;;;\nOwner:;Ann;;\n;;;\nDay;Payee;For;Sum\n04.05.2026;City;Power;-318,40\n11.05.2026;Voss;Bill 88;12.450,00\n;;;\nTotal;2;;12.131,60\n',
    ),
    [
      'Statement',
      'Owner: Ann',
      'Day: 04.05.2026 | Payee: City | For: Power | Sum: -318,40',
      'Day: 11.05.2026 | Payee: Voss | For: Bill 88 | Sum: 12.450,00',
      'Day: Total | Payee: 2 | Sum: 12.131,60',
    ],
  )
})

t.test('The heads of a long table are those of all its rows', async (t) => {
  const rows = Array.from({ length: 12_000 }, (_, index) => `${index},x${index}`)
  const lines = await linesOf(`Sales\n\nNo,Name\n${rows.join('\n')}`)
  t.equal(lines.length, 12_001)
  for (const index of [0, 4999, 5000, 11_999]) t.equal(lines[index + 1], `No: ${index} | Name: x${index}`)
})

t.test('A hostile table is bounded', async (t) => {
  const sources = [
    ',"a'.repeat(100_000),
    '"'.repeat(300_000),
    `${','.repeat(20_000)}\n`.repeat(20),
    `"${'x\n'.repeat(300_000)}`,
  ]
  for (const source of sources) {
    const reading = readDocument(Buffer.from(`a,b\n${source}`), 'csv')
    t.match(await reading.then(({ text }) => text.slice(0, 9)), /^"?a/, source.slice(0, 9))
  }
})
