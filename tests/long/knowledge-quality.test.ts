import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { buffer } from 'node:stream/consumers'
import { type Entry, fromBufferPromise } from 'yauzl'
import { PACKAGE_ROOT } from '../../kernel/loading/package.ts'
import { eventually } from '../../plugin-api/testing/waiting.ts'
import { createKnowledgeCalls, type TestFile } from '../plugins/tools/knowledge-calls.ts'
import t from '../run/file-test.ts'
import { onlyLong } from '../run/tier.ts'
import { PROVIDER } from '../support/chat.ts'
import { startServer } from '../support/server.ts'
import { serveStoredVectors } from '../support/stored-vectors.ts'

const FOLDER = join(PACKAGE_ROOT, 'tests/knowledge-quality')
/** The number of passages that are looked at. */
const FIRST = 5
/** The most documents of one upload. */
const FILES_AT_ONCE = 20
/** The size of the windows that other services cut, in characters. */
const WINDOW = 800
/** The texts that the model expects in front of questions and of passages. */
const QUESTION = 'query: '
const PASSAGE = 'passage: '

/** A question, the document that answers it, and words that the right passage contains. */
interface Question {
  path: string
  query: string
  phrase: string
}

/** A passage that was found. */
interface Found {
  path: string
  text: string
}

const readQuestions = (): Question[] =>
  readFileSync(join(FOLDER, 'questions.tsv'), 'utf8')
    .trim()
    .split('\n')
    .map((line) => {
      const [path, query, phrase] = line.split('\t') as [string, string, string]
      return { path, query, phrase }
    })

/** Reads the documents, by their folders. */
async function readDocuments(): Promise<Map<string, TestFile[]>> {
  const archive = await fromBufferPromise(readFileSync(join(FOLDER, 'documents.zip')), { lazyEntries: true })
  const folders = new Map<string, TestFile[]>()
  for await (const entry of archive.eachEntry() as AsyncIterable<Entry>) {
    const [folder, name] = entry.fileName.split('/')
    if (!name || folder === 'licences') continue
    const content = await buffer(await archive.openReadStreamPromise(entry))
    folders.set(folder!, [...(folders.get(folder!) ?? []), [name, content]])
  }
  return folders
}

const plain = (text: string) => text.replace(/\s+/g, '')
const isChinese = ({ path }: Question) => path.includes('-zh/')

/** Returns the share of questions whose passage is among the first, of English, Chinese and all. */
async function measure(
  questions: readonly Question[],
  search: (query: string) => Promise<Found[]> | Found[],
) {
  const answered = new Set<Question>()
  for (const question of questions) {
    const results = await search(question.query)
    const isRight = ({ path, text }: Found) =>
      path === question.path && plain(text).includes(plain(question.phrase))
    if (results.slice(0, FIRST).some(isRight)) answered.add(question)
  }
  const share = (some: readonly Question[]) =>
    some.filter((question) => answered.has(question)).length / some.length
  return {
    en: share(questions.filter((question) => !isChinese(question))),
    zh: share(questions.filter(isChinese)),
    all: share(questions),
    missed: questions.filter((question) => !answered.has(question)),
  }
}

t.test('Passages of real documents are found', { skip: onlyLong }, async (t) => {
  const vectors = await serveStoredVectors(
    join(FOLDER, 'vectors.bin.gz'),
    process.env.SVC_TEST_WANTED_VECTORS,
  )
  t.teardown(() => vectors.close())
  const server = await startServer(t)
  const { create, list, request, search, upload } = createKnowledgeCalls(server)
  const base = await create('Library')
  const questions = readQuestions()
  t.equal(questions.length, 120)
  let documents = 0
  for (const [folder, files] of await readDocuments()) {
    for (let from = 0; from < files.length; from += FILES_AT_ONCE) {
      const some = files.slice(from, from + FILES_AT_ONCE)
      t.equal((await upload(base, some, { path: `${folder}/` })).status, 202)
    }
    documents += files.length
    await eventually(`the documents of ${folder}`, async () =>
      (await list(base)).every(({ status }) => status === 'ready' || status === 'failed'),
    )
  }
  const rows = await list(base)
  t.ok(documents >= 150)
  t.strictSame(
    rows.filter(({ status }) => status !== 'ready').map(({ path, error }) => [path, error]),
    [],
  )
  const find = async (query: string): Promise<Found[]> =>
    (await search(query, { knowledge_base_ids: [base], limit: FIRST })) as unknown as Found[]

  const byWords = await measure(questions, find)
  await server.request('POST', '/admin/providers', {
    body: { ...PROVIDER, name: 'stored', base_url: vectors.url },
  })
  const changed = await request('PUT', '/settings', {
    embedding_model: 'stored:multilingual-e5-small',
    question_prefix: QUESTION,
    passage_prefix: PASSAGE,
  })
  t.equal(changed.status, 200)
  // The library is indexed again in the background, which takes longer than one thing usually may.
  for (let rounds = 0; rounds < 5; rounds += 1)
    await eventually(
      'the new index',
      async () => !(await request('GET', '/settings')).body.is_rebuilding,
    ).catch((error) => {
      if (rounds === 4) throw error
    })
  const together = await measure(questions, find)

  // As other services do it: windows of a fixed size, and nothing but vectors.
  const windows: (Found & { vector: number[] })[] = []
  const texts = new Map<string, string>()
  for (const { id, path } of rows) {
    const { text } = (await request('GET', `/${base}/documents/${id}/text`)).body
    texts.set(path, plain(text))
    for (let start = 0; start < text.length; start += WINDOW) {
      const part = text.slice(start, start + WINDOW)
      windows.push({ path, text: part, vector: vectors.get(`${PASSAGE}${part}`) })
    }
  }
  const isAnswered = ({ path, phrase }: Question) => texts.get(path)?.includes(plain(phrase))
  t.strictSame(
    questions.filter((question) => !isAnswered(question)),
    [],
    'documents answer their questions',
  )
  const norm = (vector: number[]) => Math.hypot(...vector)
  const alone = await measure(questions, (query) => {
    const wanted = vectors.get(`${QUESTION}${query}`)
    const closeness = (vector: number[]) =>
      vector.reduce((sum, value, index) => sum + value * wanted[index]!, 0) / norm(vector)
    return windows
      .map((window) => ({ ...window, score: closeness(window.vector) }))
      .sort((one, other) => other.score - one.score)
  })

  const percent = (share: number) => `${(share * 100).toFixed(1)} %`.padStart(8)
  const line = (name: string, { en, zh, all }: typeof alone) =>
    `${name.padEnd(40)}${percent(en)}${percent(zh)}${percent(all)}`
  console.error(
    [
      `\n${documents} documents, ${questions.length} questions, right passage among the first ${FIRST}:`,
      `${''.padEnd(40)}${['English', 'Chinese', 'all'].map((name) => name.padStart(8)).join('')}`,
      line('words alone', byWords),
      line('words and vectors', together),
      line(`windows of ${WINDOW} characters, vectors alone`, alone),
    ].join('\n'),
  )
  for (const [name, { missed }] of Object.entries({ words: byWords, together }))
    for (const { path, query } of missed) console.error(`${name} missed ${path}: ${query}`)
  t.equal(vectors.missing(), 0, 'see tests/knowledge-quality/README.md to make vectors')
  t.ok(byWords.all >= 0.85, `words alone: ${percent(byWords.all)}`)
  t.ok(together.all >= 0.93, `words and vectors: ${percent(together.all)}`)
  t.ok(together.all >= alone.all + 0.15, `windows and vectors alone: ${percent(alone.all)}`)
})
