import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { PassThrough } from 'node:stream'
import { importCommand } from '../../../plugins/reach/terminal/import-command.ts'
import t from '../../run/file-test.ts'
import { runCommand } from '../../support/kernel.ts'
import { startServer } from '../../support/server.ts'
import { archiveOf, chatGptConversation, chatGptMessage } from '../conversations/import-archives.ts'

const server = await startServer(t)
const folder = t.testdir()
const turns = [chatGptMessage('user', ['Hi']), chatGptMessage('assistant', ['Hello'])]

/** Runs `svc import` and returns its exit code with what it wrote. */
async function run(file: string, options: Record<string, string | boolean> = {}, tty = false) {
  const written = { stdout: '', stderr: '' }
  const createOutput = (name: keyof typeof written) => {
    const stream = Object.assign(new PassThrough(), { isTTY: tty })
    stream.on('data', (chunk) => {
      written[name] += chunk
    })
    return stream as unknown as NodeJS.WriteStream
  }
  const code = await importCommand.run(
    {
      args: [file],
      options: { url: server.url, username: server.admin.username, ...options },
      home: folder,
      env: { SVC_PASSWORD: server.admin.password, NO_COLOR: '1' },
      stdin: new PassThrough() as unknown as NodeJS.ReadStream,
      stdout: createOutput('stdout'),
      stderr: createOutput('stderr'),
    },
    {} as never,
  )
  return { code, ...written }
}

const store = (name: string, content: Uint8Array | string) => {
  const path = join(folder, name)
  writeFileSync(path, content)
  return path
}

t.test('an archive is imported, and the summary is printed', async (t) => {
  const path = store('export.zip', archiveOf({ 'conversations.json': [chatGptConversation('t1', turns)] }))
  const first = await run(path, {}, true)
  t.match(first, { code: 0, stdout: 'export.zip: 1 imported, 0 unchanged, 0 empty, 0 failed\n' })
  t.match(first.stderr, /100 % {2}1 imported/)
  t.match(await run(path), { code: 0, stdout: 'export.zip: 0 imported, 1 unchanged, 0 empty, 0 failed\n' })
  const json = await run(path, { json: true })
  t.match(JSON.parse(json.stdout), { state: 'done', counts: { unchanged: 1 }, failures: [] })
})

t.test('failed conversations are named, and the exit code says so', async (t) => {
  const path = store('mixed.json', JSON.stringify([chatGptConversation('t2', turns), { odd: true }]))
  const result = await run(path)
  t.equal(result.code, 1)
  t.match(result.stdout, /^failed {2}\(no title\) {2}The entry has the form of no known conversation\.$/m)
  t.match(result.stdout, /mixed\.json: 1 imported, 0 unchanged, 0 empty, 1 failed/)
  t.match(result.stderr, /Conversations that could not be imported: 1\./)
})

t.test('a file without conversations, and an unknown agent, are explained', async (t) => {
  const path = store('photo.json', '{}')
  t.match(await run(path), { code: 1, stderr: /The file contains no conversations/ })
  t.match(await run(path, { agent: 'nobody' }), { code: 1, stderr: /The agent does not exist/ })
  t.match(await run(join(folder, 'missing.zip')), { code: 1 })
})

t.test('on the home of the server, an account receives conversations without its password', async (t) => {
  const path = store('home.json', JSON.stringify([chatGptConversation('t3', turns)]))
  const onHome = (user: string) => runCommand(server.home, ['import', path, '--user', user])
  t.match(await onHome(server.admin.username), {
    code: 0,
    stdout: 'home.json: 1 imported, 0 unchanged, 0 empty, 0 failed\n',
  })
  t.match(await onHome('nobody'), { code: 1, stderr: /The account "nobody" does not exist here/ })
})
