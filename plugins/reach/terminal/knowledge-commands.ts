import { openAsBlob } from 'node:fs'
import { basename } from 'node:path'
import type { components } from '#client'
import { type Command, JSON_OPTION, printJson } from '#plugin-api'
import type { SignedInAccount } from './connect.ts'
import type { Cradle } from './manifest.ts'
import { shorten } from './printable.ts'
import { readAnswer } from './service.ts'
import { accountCommand, findNamed, printList } from './signed-in.ts'

type Row = components['schemas']['KnowledgeBase']

/** The most knowledge bases that are read. */
const MAX_BASES = 200
/** The width of a text of a person in a line of output. */
const COLUMNS = 40
/** The most characters of a passage that are shown. */
const MAX_SHOWN = 400

const BASE = { name: 'base', summary: 'ID or name of the knowledge base', required: true } as const

const list = accountCommand(
  { name: 'knowledge list', summary: 'List the knowledge bases you can search', options: [JSON_OPTION] },
  async (input, at) =>
    printList(input, await readBases(at), {
      noun: 'knowledge base',
      head: ['ID', 'NAME', 'OWNER', 'DOCUMENTS', 'PASSAGES', 'STATUS'],
      toCells: ({ id, name, owner, documents, chunks, status }) => {
        return [id, shorten(name, COLUMNS), owner, String(documents), String(chunks), status]
      },
    }),
)

const add = accountCommand(
  {
    name: 'knowledge add',
    summary: 'Add files or URLs to a knowledge base',
    arguments: [BASE, { name: 'file...', summary: 'files or URLs', required: true }],
  },
  async ({ args, stdout }, at) => {
    const [nameOrId, ...files] = args as string[]
    const { id } = await findBase(nameOrId!, at)
    for (const file of files) {
      const documents = await (/^https?:\/\//.test(file) ? addAddress(id, file, at) : addFile(id, file, at))
      for (const { path, status } of documents) stdout.write(`${shorten(path, COLUMNS * 2)}  ${status}\n`)
    }
  },
)

const search = accountCommand(
  {
    name: 'knowledge search',
    summary: 'Search a knowledge base',
    arguments: [BASE, { name: 'query...', summary: 'the question', required: true }],
    options: [JSON_OPTION],
  },
  async ({ args, options, stdout }, at) => {
    const [nameOrId, ...words] = args as string[]
    const { id } = await findBase(nameOrId!, at)
    const body = { query: words.join(' '), knowledge_base_ids: [id], limit: 5 }
    const hits = await readAnswer(at.service.POST('/knowledge-bases/search', { body }), at.url)
    if (options.json) return printJson(stdout, hits)
    if (hits.length === 0) return void stdout.write('No results.\n')
    for (const [index, { path, locator, text, text_start }] of hits.entries()) {
      const { page, heading, start, end } = locator
      const part = text.slice(start - text_start, end - text_start)
      const source = [
        shorten(path, COLUMNS * 2),
        ...(page ? [`page ${page}`] : []),
        ...(heading ? [heading] : []),
      ]
      stdout.write(
        `${index + 1}. ${shorten(source.join(', '), COLUMNS * 3)}\n   ${shorten(part, MAX_SHOWN)}\n`,
      )
    }
  },
)

const rebuild = accountCommand(
  {
    name: 'knowledge rebuild',
    summary: 'Reprocess a knowledge base, or all of your own',
    arguments: [{ ...BASE, required: false }],
  },
  async ({ args, stdout }, at) => {
    const own = async () => (await readBases(at)).filter(({ is_owner }) => is_owner)
    const bases = args[0] === undefined ? await own() : [await findBase(args[0], at)]
    for (const { id, name } of bases) {
      const params = { path: { id } }
      const { documents } = await readAnswer(
        at.service.POST('/knowledge-bases/{id}/reindex', { params }),
        at.url,
      )
      stdout.write(`"${shorten(name, COLUMNS)}": documents to reprocess: ${documents}\n`)
    }
  },
)

/** `svc knowledge …`: knowledge bases over the public API. */
export const knowledgeCommands: Command<Cradle>[] = [list, add, search, rebuild]

const readBases = ({ service, url }: SignedInAccount): Promise<Row[]> =>
  readAnswer(service.GET('/knowledge-bases', { params: { query: { limit: MAX_BASES } } }), url)

const findBase = async (nameOrId: string, at: SignedInAccount): Promise<Row> =>
  findNamed(await readBases(at), nameOrId, {
    noun: 'knowledge base',
    advice: '`svc knowledge list` shows the knowledge bases you can search.',
  })

const addAddress = (id: string, address: string, { service, url }: SignedInAccount) =>
  readAnswer(
    service.POST('/knowledge-bases/{id}/documents', { params: { path: { id } }, body: { url: address } }),
    url,
  )

async function addFile(id: string, file: string, { service, url }: SignedInAccount) {
  const form = new FormData()
  form.set('file', await openAsBlob(file), basename(file))
  return readAnswer(
    service.POST('/knowledge-bases/{id}/documents', {
      params: { path: { id } },
      body: { url: '' },
      bodySerializer: () => form,
    }),
    url,
  )
}
