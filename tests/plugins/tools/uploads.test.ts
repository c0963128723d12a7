import { mkdir, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import t from '../../run/file-test.ts'
import { onlyLong } from '../../run/tier.ts'
import { startServer } from '../../support/server.ts'

const server = await startServer(t)
const { body: agents } = await server.request('GET', '/agents')
const workspace = join(server.home, 'agents', agents[0].id)

async function upload(filename: string, content: string | Blob = 'content', type = 'text/plain') {
  const form = new FormData()
  form.append('file', typeof content === 'string' ? new Blob([content], { type }) : content, filename)
  return server.request('POST', `/agents/${agents[0].id}/upload`, { body: form })
}

t.test('An uploaded file is in the inbound folder under its own name', async (t) => {
  const { status, body } = await upload('报告 2026.txt', '内容')
  t.equal(status, 200)
  t.strictSame(body, {
    path: 'inbound/报告 2026.txt',
    filename: '报告 2026.txt',
    media_type: 'text/plain',
    size: 6,
    document: { kind: 'txt', state: body.document.state, characters: body.document.characters },
  })
  t.equal(await readFile(join(workspace, body.path), 'utf8'), '内容')
  t.match(
    await upload('photo.png', 'x', ''),
    { body: { media_type: 'image/png' } },
    'by its name if none is stated',
  )
  t.match(await upload('unheard.of-type', 'x', ''), { body: { media_type: 'application/octet-stream' } })
})

t.test('No upload replaces another, even if they are concurrent', async (t) => {
  const replies = await Promise.all(Array.from({ length: 8 }, (_, n) => upload('same.tar.gz', `number ${n}`)))
  const names = replies.map(({ body }) => body.filename)
  t.strictSame(names.sort(), ['same.tar.gz', ...[2, 3, 4, 5, 6, 7, 8].map((n) => `same.tar-${n}.gz`)].sort())
  const contents = await Promise.all(replies.map(({ body }) => readFile(join(workspace, body.path), 'utf8')))
  t.strictSame(
    contents.sort(),
    replies.map((_, n) => `number ${n}`),
  )
})

t.test('Names that are paths, hidden, empty or too long become plain ones', async (t) => {
  for (const [file, kept] of [
    ['../../etc/passwd', 'passwd'],
    ['C:\\temp\\notes.txt', 'notes.txt'],
    ['.env', 'env'],
    ['...', 'file'],
    ['a:b*c?.txt', 'a_b_c_.txt'],
    ['e\u0301te\u0301.md', 'été.md'],
    ['\u202Egnp.exe', '_gnp.exe'],
    [`${'长'.repeat(300)}.pdf`, `${'长'.repeat(66)}.pdf`],
  ] as const) {
    const { status, body } = await upload(file)
    t.strictSame([status, body.filename], [200, kept], JSON.stringify(file).slice(0, 40))
    await rm(join(workspace, body.path))
  }
})

t.test('A link in place of the folder leads no upload outside', async (t) => {
  const outside = join(server.home, 'outside')
  await mkdir(outside)
  await rm(join(workspace, 'inbound'), { recursive: true })
  await symlink(outside, join(workspace, 'inbound'))
  const refused = await upload('a.txt')
  t.match(refused, { status: 409, body: { error: { code: 'WORKSPACE_UNUSABLE' } } })
  t.strictSame(await readdir(outside), [])
  await rm(join(workspace, 'inbound'))
  await writeFile(join(workspace, 'inbound'), 'a file')
  t.match(await upload('a.txt'), { status: 409 })
  await rm(join(workspace, 'inbound'))
})

t.test('A file of 20 MiB is accepted, and no larger one', { skip: onlyLong }, async (t) => {
  const large = await upload('large', new Blob([new Uint8Array(20 * 1024 * 1024 + 1)]))
  t.match(large, { status: 413, body: { error: { code: 'BODY_TOO_LARGE' } } })
  const full = await upload('full', new Blob([new Uint8Array(20 * 1024 * 1024)]))
  t.match(full, { status: 200, body: { size: 20 * 1024 * 1024 } })
  t.strictSame(await readdir(join(server.home, 'uploads')), [])
})
