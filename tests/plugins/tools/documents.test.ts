import { readdir, readFile as readFileBytes, utimes, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import t from '../../run/file-test.ts'
import { startChat } from '../../support/chat.ts'
import { makeDocx, makePdf } from '../../support/office-files.ts'

const chat = await startChat(t)
const { agent_id, createThread, fake, server } = chat
const workspace = join(server.home, 'agents', agent_id)

const PAGES = [[['The harbour opens at six.']], [['Anna keeps the keys.']], [['Boats leave on Friday.']]]
const PDF = makePdf(PAGES as never)

/** Uploads a file; waits until its document is read. */
async function upload(filename: string, content: Buffer | string, type = 'application/octet-stream') {
  const form = new FormData()
  form.append('file', new Blob([content], { type }), filename)
  const { status, body } = await server.request('POST', `/agents/${agent_id}/upload`, { body: form })
  t.equal(status, 200, `${filename} is stored`)
  if (body.document?.state !== 'reading') return body
  await read(body.path)
  return { ...body, document: await factsOf(body.path) }
}

async function factsOf(wanted: string) {
  const { body: rows } = await server.request('GET', `/agents/${agent_id}/files?path=inbound`)
  return rows.find(({ path }: { path: string }) => path === wanted).document
}

const attachmentOf = ({ path, filename, media_type }: Record<string, string>) => ({
  type: 'file' as const,
  path,
  filename,
  media_type,
})
const read = (path: string, pages?: string) =>
  server.request(
    'GET',
    `/agents/${agent_id}/files/document?path=${encodeURIComponent(path)}${pages ? `&pages=${pages}` : ''}`,
  )

/** Sends a message and returns what the model receives. */
async function send(content: object[], thread_id?: string) {
  const socket = await chat.connect()
  const thread = thread_id ?? (await createThread())
  fake.next({ text: 'Well.' })
  await socket.ask({ thread_id: thread, content })
  const { messages } = fake.requests.at(-1)!.body
  const last = messages.at(-1)!.content ?? ''
  const text =
    typeof last === 'string' ? last : last.map((part: { text?: string }) => part.text ?? '').join('\n')
  return { thread, text: text as string, messages }
}

/** Has the model read a file, and returns what it receives. */
async function readFile(input: object): Promise<string> {
  const socket = await chat.connect()
  fake.next({ toolCalls: [{ id: 'call_1', name: 'read_file', arguments: input }] }, { text: 'done' })
  const { frames } = await socket.ask({ thread_id: await createThread(), text: 'go' })
  return frames.find(({ type }) => type === 'tool_result')!.output as string
}

t.test('An upload says what its document is, and its text can be read page by page', async (t) => {
  const row = await upload('harbour.pdf', PDF)
  t.strictSame(row.document, { kind: 'pdf', pages: 3, state: 'ready', characters: 71 })
  t.match(await read(row.path), {
    status: 200,
    body: {
      kind: 'pdf',
      document: row.document,
      pages: [
        { page: 1, text: 'The harbour opens at six.' },
        { page: 2, text: 'Anna keeps the keys.' },
        { page: 3, text: 'Boats leave on Friday.' },
      ],
    },
  })
  t.strictSame(await factsOf(row.path), row.document)
  t.match(await read(row.path, '2'), { body: { pages: [{ page: 2, text: 'Anna keeps the keys.' }] } })
  t.match((await read(row.path, '2-')).body.pages.length, 2)
  t.match((await read(row.path, '9')).body.pages, [])
  t.match(await read(row.path, '0'), { status: 422 })
  t.match(await read('inbound/nothing.pdf'), { status: 404 })
})

t.test('A tool reads documents, pages of them, and texts of other encodings', async (t) => {
  const { path } = await upload('tool.pdf', PDF)
  t.equal(
    await readFile({ path }),
    `[to cite a page of it: [p. 2](${path}#page=2)]\n[page 1 of 3]\nThe harbour opens at six.\n[page 2 of 3]\nAnna keeps the keys.\n[page 3 of 3]\nBoats leave on Friday.`,
  )
  t.match(await readFile({ path, pages: '2-3', offset: 2 }), /\n\[page 3 of 3\]\nBoats leave on Friday\.$/)
  t.match(await readFile({ path, limit: 2 }), /continue with pages "2-"\]$/)
  t.match(await readFile({ path, pages: '7' }), /no such pages: 3 pages/)
  await writeFile(
    join(workspace, 'notice.txt'),
    Buffer.from([0xb1, 0xb8, 0xd7, 0xa2, 0x0a, 0xd6, 0xd0, 0xce, 0xc4]),
  )
  t.equal(await readFile({ path: 'notice.txt' }), '备注\n中文')
  await writeFile(join(workspace, 'program.bin'), Buffer.from([0, 1, 2]))
  t.match(await readFile({ path: 'program.bin' }), /cannot be read/)
  t.match(await readFile({ path: 'nothing.pdf' }), /does not exist/)
})

t.test('The model sees an attached document, and people their message', async (t) => {
  const row = await upload('attached.pdf', PDF)
  const { text, thread } = await send([{ type: 'text', text: 'Who keeps the keys?' }, attachmentOf(row)])
  t.match(text, 'Who keeps the keys?')
  t.match(text, `[file in the workspace: ${row.path}]`)
  t.match(text, /\[page 1\]\nThe harbour opens at six\.\n\[page 2\]\nAnna keeps the keys\./)
  const { body } = await server.request('GET', `/agents/${agent_id}/threads/${thread}/history`)
  t.notMatch(JSON.stringify(body), /Anna/, 'history shows the message alone')
  const trajectory = `/agents/${agent_id}/threads/${thread}/trajectory`
  const documents = [{ path: row.path, text: /Anna keeps the keys/ }]
  t.match(await server.request('GET', `${trajectory}/events/evt_1`), { status: 200, body: { documents } })
  const { body: exported } = await server.request('GET', `${trajectory}/export?format=json`)
  t.match(exported.events[0], { documents })
  const form = new FormData()
  form.set('file', new Blob([JSON.stringify(exported)], { type: 'application/json' }), 'thread.json')
  const imported = await server.request('POST', `/agents/${agent_id}/threads/import`, { body: form })
  t.match(imported.status, 201, 'an export is imported with its documents')
  const next = await send([{ type: 'text', text: 'And when do boats leave?' }], thread)
  t.notMatch(next.text, /Anna/, 'the document is not repeated')
  t.match(JSON.stringify(next.messages), /Anna/, 'but it is in the conversation')
})

t.test('Of a long document the model sees the first part, and how to read on', async (t) => {
  const pages = Array.from({ length: 40 }, (_, page) => [
    [`Page ${page + 1} begins.`],
    ...Array.from({ length: 20 }, () => ['words of a page '.repeat(4)]),
  ])
  const row = await upload('long.pdf', makePdf(pages as never))
  const { text } = await send([attachmentOf(row), { type: 'text', text: 'Sum it up.' }])
  t.match(text, /40 pages/)
  t.match(text, /Read on with read_file and its pages, such as "\d+-"/)
  t.ok(text.length < 30_000, `${text.length} characters`)
})

t.test('The model is shown how to link to a page, whatever the name of the document', async (t) => {
  const row = await upload('C# plan? (2).pdf', PDF)
  const [, link] = /\[p\. 2\]\((\S+)#page=2\)/.exec((await send([attachmentOf(row)])).text)!
  t.notMatch(link, /[#?() ]/)
  t.equal(decodeURIComponent(link!), row.path)
  t.match(await readFile({ path: row.path }), `[p. 2](${link}#page=2)`)
})

t.test('What cannot be read says why, to people and to models', async (t) => {
  const scan = await upload('scan.pdf', makePdf([[]]))
  t.match(scan, { document: { kind: 'pdf', state: 'no_text' } })
  t.match(await read(scan.path), { status: 200, body: { pages: [], document: { state: 'no_text' } } })
  t.match((await send([attachmentOf(scan)])).text, /has no text: scanned/)
  const sealed = await upload('sealed.pdf', makePdf(PAGES as never, { isEncrypted: true }))
  t.match(sealed.document, { state: 'failed', reason: { code: 'DOCUMENT_ENCRYPTED', message: String } })
  t.match(await read(sealed.path), { status: 422, body: { error: { code: 'DOCUMENT_ENCRYPTED' } } })
  t.match((await send([attachmentOf(sealed)])).text, /password-protected/)
  const program = await upload('setup.exe', Buffer.from([0x4d, 0x5a, 0, 1]))
  t.match(program.document, { kind: 'exe', state: 'failed', reason: { code: 'DOCUMENT_KIND_UNSUPPORTED' } })
  t.match(await read(program.path), { status: 415 })
  const picture = await upload('photo.png', Buffer.from('x'), 'image/png')
  t.notOk('document' in picture)
})

t.test('Parts of documents without pages are numbered', async (t) => {
  const docx = makeDocx(
    Array.from({ length: 50 }, (_, n) => ({ text: `Paragraph ${n}. ${'word '.repeat(60)}` })),
  )
  const row = await upload('contract.docx', docx)
  t.match(row.document, { kind: 'docx', state: 'ready', pages: undefined })
  const { body } = await read(row.path, '2')
  t.equal(body.pages.length, 1)
  t.match(body.pages[0].text, /Paragraph/)
  t.notMatch(body.pages[0].text, /Paragraph 0\./)
})

t.test('A program that sends a conversation again sends its documents once', async (t) => {
  const file_data = `data:application/pdf;base64,${PDF.toString('base64')}`
  const question = {
    role: 'user',
    content: [
      { type: 'file', file: { filename: 'harbour.pdf', file_data } },
      { type: 'text', text: 'Who keeps the keys?' },
    ],
  }
  const ask = async (...messages: object[]) => {
    fake.next({ text: 'Anna.' })
    const reply = await fetch(`${server.url}/api/v1/chat/completions`, {
      method: 'POST',
      headers: { authorization: `Bearer ${server.admin.token}`, 'content-type': 'application/json' },
      body: JSON.stringify({ model: agent_id, messages }),
    })
    t.equal(reply.status, 200)
    return JSON.stringify(fake.requests.at(-1)!.body.messages)
  }
  t.match(await ask(question), /Anna keeps the keys/)
  const others = [
    { role: 'assistant', content: 'Bob, as was said elsewhere.' },
    { role: 'user', content: 'Sure?' },
  ]
  const shown = await ask(question, ...others)
  t.equal(shown.match(/Anna keeps the keys/g)?.length, 1, 'also of a conversation that is new to the server')
})

t.test('A text that nobody uses is removed, and read again when it is needed', async (t) => {
  const { path } = await upload('forgotten.pdf', makePdf([[['The treasure is below the mill.']]]))
  const folder = join(server.home, 'documents')
  const treasures = async () => {
    const texts = (await readdir(folder)).map((name) => readFileBytes(join(folder, name), 'utf8'))
    return (await Promise.all(texts)).filter((text) => text.includes('treasure')).length
  }
  t.equal(await treasures(), 1)
  const anHourAgo = new Date(Date.now() - 3600_000)
  for (const name of await readdir(folder)) await utimes(join(folder, name), anHourAgo, anHourAgo)
  await upload('another.pdf', makePdf([[['Nothing to see.']]]))
  t.equal(await treasures(), 0)
  t.match(await read(path), { status: 200, body: { pages: [{ page: 1, text: /treasure/ }] } })
})
