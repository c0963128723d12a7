import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import t from '../../run/file-test.ts'
import { noBubblewrap } from '../../support/bubblewrap.ts'
import { PROGRAM, pidIn, run, startAcp, until } from './acp-calls.ts'

/** The program of the runner lies in here, and what it is made of, by a link perhaps. */
const project = fileURLToPath(new URL('../../../..', import.meta.url))

t.test('In a sandbox', { skip: noBubblewrap }, async (t) => {
  const shell = { sandbox: 'required', sandbox_folders: [project, join(project, 'node_modules')] }
  const chat = await startAcp(t, { config: { plugins: { shell } } })
  const { callOnce, fake, server, setRunner, workspace } = chat
  fake.script(() => ({ text: 'ok' }))

  await t.test(
    'a runner has the workspace and the home of its account, and nothing of the server',
    async (t) => {
      const home = join(server.home, 'acp', (await server.request('GET', '/auth/me')).body.id)
      const another = join(server.home, 'agents', 'another')
      mkdirSync(another)
      writeFileSync(join(another, 'notes'), 'of another')
      await setRunner({ env: { GIVEN: 'to-it' } })
      const { output } = await callOnce([
        `open ${workspace}/made by it`,
        `open ${home}/login token`,
        `open ${server.home}/secret.key`,
        `open ${another}/notes`,
        'open /etc/made x',
        'env GIVEN',
        'folders',
      ])
      t.equal(
        output,
        `[by it][token][ENOENT][ENOENT][EROFS][GIVEN: "to-it"][process ${home}, session ${workspace}]`,
      )
      t.equal(readFileSync(join(workspace, 'made'), 'utf8'), 'by it')
      t.equal((await callOnce([`open ${home}/login`])).output, '[token]', 'what it keeps there stays')
    },
  )

  await t.test('a program that cannot be started is named', async (t) => {
    const hidden = join(server.home, 'program')
    writeFileSync(hidden, '#!/bin/sh\n', { mode: 0o755 })
    const notShown = `the sandbox does not show "${hidden}": its folder has to be listed in plugins.shell.sandbox_folders`
    const reasons: [command: string, reason: string][] = [
      ['svc-unheard-of', 'was not found, or the interpreter that it names was not'],
      [hidden, `cannot be run: ${notShown}`],
    ]
    for (const [command, reason] of reasons) {
      await setRunner({ command, args: [] })
      t.equal(
        (await callOnce(['say never'])).output,
        `the external agent "scripted" cannot be started: its program "${command}" ${reason}`,
      )
    }
    await setRunner({ command: 'node', args: [hidden] })
    const { output } = await callOnce(['say never'])
    t.ok(output.includes(`ended with exit code 1 (${notShown}) before it answered`), output)
    await setRunner({ command: 'false', args: [] })
    t.match((await callOnce(['say never'])).output, /ended with exit code 1 before it answered/)
    await setRunner(PROGRAM)
  })

  await t.test('one that is stopped is ended with all that it started', async (t) => {
    const socket = await chat.connect()
    const pid = join(workspace, 'grandchild')
    fake.next({ toolCalls: [run('call_a', `grandchild ${pid}`, 'hang')] })
    const sent = socket.say({ text: 'go' })
    await pidIn(pid)
    t.ok(runningIn(server.home).length >= 2)
    socket.send({ type: 'stop', thread_id: socket.frames.at(-1)!.thread_id })
    t.match((await socket.seeTurn(sent)).end, { stop_reason: 'stopped' })
    await until(() => runningIn(server.home).length === 0)
  })
})

/** The processes of runners of a server, wherever they are: what their environment names as their home lies in its own. */
const runningIn = (home: string) =>
  readdirSync('/proc').filter((pid) => {
    try {
      return readFileSync(`/proc/${pid}/environ`, 'utf8').includes(`HOME=${home}/acp/`)
    } catch {
      // It is no process, or one that has ended.
      return false
    }
  })
