import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { buffer } from 'node:stream/consumers'
import type { Db } from 'mongodb'
import { type Entry, fromBufferPromise } from 'yauzl'
import { PACKAGE_ROOT } from '../kernel/loading/package.ts'
import { findKind } from '../plugins/tools/documents/reading/document-kind.ts'
import { readDocument } from '../plugins/tools/documents/reading/reader.ts'
import { toWords } from '../plugins/tools/knowledge/passages/words.ts'
import { createPassageIndex } from '../plugins/tools/knowledge/store/passage-index.ts'
import type { IndexDescription } from '../plugins/tools/knowledge/types.ts'
import { createNumbers, vectorOf } from './vectors.ts'

const PASSAGES_OF_DOCUMENT = 1000
const SENTENCE = new Intl.Segmenter('und', { granularity: 'sentence' })
/** The characters of a passage of 600 tokens. */
const PASSAGE = { en: 2400, zh: 600 }
const LANGUAGES = ['en', 'zh'] as const

type Language = (typeof LANGUAGES)[number]

/** Texts of sentences in two languages. */
export interface Library {
  /** Returns a text of other sentences each time. */
  write(language: Language, characters: number): string
  /** Returns a sentence of the language. */
  ask(language: Language): string
}

/** Reads the sentences of the documents that measure the quality of the search. */
export async function openLibrary(): Promise<Library> {
  const file = readFileSync(join(PACKAGE_ROOT, 'tests/knowledge-quality/documents.zip'))
  const archive = await fromBufferPromise(file, { lazyEntries: true })
  const sentences: Record<Language, string[]> = { en: [], zh: [] }
  for await (const entry of archive.eachEntry() as AsyncIterable<Entry>) {
    const [folder, name] = entry.fileName.split('/')
    if (!name || folder === 'licences') continue
    const content = await buffer(await archive.openReadStreamPromise(entry))
    const { text } = await readDocument(content, findKind(name, '', content)!)
    const kept = [...SENTENCE.segment(text)].map(({ segment }) => segment.trim())
    sentences[folder!.endsWith('-zh') ? 'zh' : 'en'].push(...kept.filter(({ length }) => length > 15))
  }
  const next = createNumbers(1)
  const ask = (language: Language) => {
    const all = sentences[language]
    return all[Math.floor(next() * all.length)]!
  }
  return {
    ask,
    write(language, characters) {
      const parts: string[] = []
      for (let length = 0; length < characters; length += parts.at(-1)!.length + 1) parts.push(ask(language))
      return parts.join(parts.length % 7 === 0 ? '\n\n' : ' ')
    },
  }
}

/** Fills a knowledge base with passages, as if documents had been read. */
export async function seedPassages(
  { db, home, library }: { db: Db; home: string; library: Library },
  {
    base_id,
    user_id,
    index,
    count,
  }: { base_id: string; user_id: string; index: IndexDescription; count: number },
): Promise<void> {
  const passages = createPassageIndex({
    config: { allow_hosts: [], read_seconds: 1 },
    server: { home },
    log: console,
    lock: { run: (_: string, work: () => Promise<unknown>) => work() },
  } as unknown as Parameters<typeof createPassageIndex>[0])
  const documents = db.collection<{ _id: string }>('knowledge_documents')
  const wordsOf = new Map<string, string>()
  const toKnownWords = (text: string) => {
    const words = wordsOf.get(text) ?? toWords(text)
    wordsOf.set(text, words)
    return words
  }
  for (let n = 0; n < count / PASSAGES_OF_DOCUMENT; n += 1) {
    const _id = `doc_bench_${n}`
    const language = LANGUAGES[n % 2]!
    const rows = Array.from({ length: PASSAGES_OF_DOCUMENT }, (_, ordinal) => {
      const parts: string[] = []
      for (let length = 0; length < PASSAGE[language]; length += parts.at(-1)!.length)
        parts.push(library.ask(language))
      const text = parts.join(' ')
      const range = { start: ordinal * 3000, end: ordinal * 3000 + text.length }
      const position = { ordinal, ...range, places: [range] }
      const words = parts.map(toKnownWords).join(' ')
      return { base_id, document_id: _id, run: _id, ...position, text, words, vector: vectorOf(text) }
    })
    await passages.add(index, rows)
    const run = { run: _id, chunks: PASSAGES_OF_DOCUMENT, version: _id }
    const now = Math.floor(Date.now() / 1000)
    await documents.insertOne({
      _id,
      ...{ base_id, user_id, path: `${n}.txt`, filename: `${n}.txt`, media_type: 'text/plain', size: 1 },
      ...{ hash: _id, url: null, version: _id, text_version: _id, pages: null, status: 'ready', error: null },
      ...{
        progress: 1,
        indexes: { [index.id]: run },
        created_at: now,
        updated_at: now,
        changed_at: now * 1000,
      },
    } as { _id: string })
  }
  await passages.tidy(index)
  await passages.close()
}
