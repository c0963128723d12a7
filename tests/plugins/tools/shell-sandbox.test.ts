import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { eventually } from '../../../plugin-api/testing/waiting.ts'
import t, { type Test } from '../../run/file-test.ts'
import { amount } from '../../run/tier.ts'
import { noBubblewrap } from '../../support/bubblewrap.ts'
import { startChat } from '../../support/chat.ts'
import { bareConfig, createHome, runCommand, startKernel } from '../../support/kernel.ts'
import { createDatabaseUrl } from '../../support/test-engine.ts'
import { approve, call, resultsIn } from '../conversations/approval-calls.ts'
import { createWorkspace, findProcesses, LIMITS } from './shell-calls.ts'

/** Quotes a text for a regular expression. */
const quotePattern = (text: string) => text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')

const inSandbox = { sandbox: 'required' } as const
const ROUNDS = amount({ short: 12, long: 100 })
const FORBIDDEN =
  'bwrap: setting up uid map: Permission denied (this system or container forbids user namespaces)'
let marks = 0

/** A program that waits for a long time and can be found among all processes of the machine. */
function createSleep() {
  const seconds = `1000.${process.pid}${++marks}`
  const command = `sleep ${seconds}`
  const findPid = () =>
    readdirSync('/proc').find((pid) => readProcess(pid, 'cmdline') === `${command.replace(' ', '\0')}\0`)
  return {
    command,
    runs: () => findPid() !== undefined,
    begun: () => eventually(`"${command}" begins`, findPid),
    gone: () => eventually(`"${command}" ends`, () => findPid() === undefined),
  }
}

/** Reads a file about a process; undefined if it is not a process, or has ended. */
function readProcess(pid: string, file: string): string | undefined {
  try {
    return readFileSync(`/proc/${pid}/${file}`, 'utf8')
  } catch {
    return undefined
  }
}

/** Creates a folder beside the home of the server, with a file in it. */
function createFolder(t: Test): string {
  const folder = mkdtempSync(join(tmpdir(), 'svc-beside-'))
  writeFileSync(join(folder, 'notes'), 'of somebody else')
  t.teardown(() => rmSync(folder, { recursive: true }))
  return folder
}

/** Makes this process find no `bwrap`, or one that fails as if user namespaces were forbidden. */
function breakBubblewrap(t: Test, { isMissing = false } = {}): void {
  const folder = createHome(t)
  const words = 'bwrap: setting up uid map: Permission denied'
  if (!isMissing)
    for (const name of ['bwrap', 'prlimit'])
      writeFileSync(join(folder, name), `#!/bin/sh\necho '${words}' >&2\nexit 1\n`, { mode: 0o755 })
  const { PATH } = process.env
  process.env.PATH = folder
  t.teardown(() => {
    process.env.PATH = PATH
  })
}

t.test('If bubblewrap works', { skip: noBubblewrap }, async (t) => {
  await t.test('a program sees the system and its workspace, and nothing of the server', async (t) => {
    const { base, workspace, outside, shell } = await createWorkspace(t, inSandbox)
    writeFileSync(join(base, 'secret.key'), 'the key')
    writeFileSync(join(outside, 'notes'), 'of another agent')
    const beside = createFolder(t)
    const cases: [command: string, output: string | RegExp][] = [
      ...[`${base}/secret.key`, `${outside}/notes`, `${beside}/notes`].map((path): [string, RegExp] => [
        `cat ${path}`,
        /No such file/,
      ]),
      // Of the home there is only the way to the workspace.
      [`ls ${base}`, 'agent'],
      ['ls /run /sys /var/tmp | wc -w', '3'],
      ...['/', '/etc', '/usr', base].map((folder): [string, RegExp] => [
        `touch ${folder}/made`,
        /Read-only file system/,
      ]),
      ['echo mine > /tmp/made; cat /tmp/made', 'mine'],
      ['[ -r /etc/passwd ] && command -v sh', /sh$/],
      ['cat /etc/shadow', /Permission denied/],
      ['[ -w /proc/sys/kernel/core_pattern ] || echo closed', 'closed'],
      ['grep CapEff /proc/self/status', /\t0+$/],
      // There is no process but its own.
      ['cat /proc/[0-9]*/comm', /^(?![\s\S]*node)/],
      ['echo kept > kept; cat kept', 'kept'],
    ]
    // One program is much faster than one for each.
    const output = await shell(cases.map(([command]) => `{ ${command}; } 2>&1; echo '---'`).join('\n'))
    const seen = output.split('---\n')
    t.equal(seen.length, cases.length + 1)
    for (const [index, [command, wanted]] of cases.entries()) {
      const output = seen[index]!.trimEnd()
      if (typeof wanted === 'string') t.equal(output, wanted, command)
      else t.match(output, wanted, command)
    }
    t.notOk(existsSync('/tmp/made'), 'its folder for temporary files is its own')
    t.equal(readFileSync(join(workspace, 'kept'), 'utf8'), 'kept\n')
  })

  await t.test('it may write where its agent may, and a wide area opens nothing else', async (t) => {
    const { base, run } = await createWorkspace(t, inSandbox)
    writeFileSync(join(base, 'secret.key'), 'the key')
    const folder = createFolder(t)
    const write = (root: string, path: string) =>
      run({ command: `echo x > ${path}`, shell: true }, undefined, { root, except: base })
    const written = '(no output)\n[exit code 0]'
    t.equal(await write(folder, `${folder}/made`), written)
    t.equal(readFileSync(join(folder, 'made'), 'utf8'), 'x\n')
    t.equal(await write(tmpdir(), `${folder}/made`), written)
    for (const root of [tmpdir(), '/'])
      t.match(await write(root, `${base}/secret.key`), /Read-only file system/)
    t.match(await write('/', '/etc/made'), /Read-only file system/)
    t.match(await write('/', `${folder}/made`), /cannot create/, 'its /tmp is its own nevertheless')
    t.match(
      await write(join(base, 'agent-outside'), `${base}/agent-outside/made`),
      /No such file|cannot create/,
    )
    t.match(await write(join(folder, 'missing'), `${folder}/missing/made`), /cannot create/)
    t.equal(readFileSync(join(base, 'secret.key'), 'utf8'), 'the key')
  })

  await t.test('folders that the configuration names can be read', async (t) => {
    const folder = createFolder(t)
    const { shell } = await createWorkspace(t, { ...inSandbox, sandbox_folders: [folder, '/nowhere/at/all'] })
    t.equal(await shell(`cat ${folder}/notes`), 'of somebody else\n[exit code 0]')
    t.match(await shell(`echo x > ${folder}/notes`), /Read-only file system/)
  })

  await t.test('what it hides is named if a program needs it', async (t) => {
    const { run, workspace } = await createWorkspace(t, inSandbox)
    const folder = createFolder(t)
    const make = (path: string, text: string) => writeFileSync(path, text, { mode: 0o755 })
    make(join(folder, 'tool'), '#!/bin/sh\necho ran\n')
    make(join(workspace, 'script'), `#!${folder}/tool -x\n`)
    make(join(workspace, 'nested'), '#!/usr/bin/env -S ./script\n')
    symlinkSync(join(folder, 'tool'), join(workspace, 'link'))
    const hidden = (path: string) =>
      `the sandbox does not show "${path}": its folder has to be listed in plugins.shell.sandbox_folders`
    for (const command of [join(folder, 'tool'), './script', './nested', './link'])
      await t.rejects(run({ command }), {
        message: `"${command}" cannot be run: ${hidden(join(folder, 'tool'))}`,
      })
    for (const path of [`${folder}/missing`, '/root/missing', '/home/nobody at all/x'])
      await t.rejects(run({ command: path }), { message: `"${path}" cannot be run: ${hidden(path)}` })
    await t.rejects(run({ command: '/usr/bin/missing' }), { message: /was not found/ })

    const cases: [args: string[], output: RegExp][] = [
      [
        [join(folder, 'notes')],
        new RegExp(`No such file.*\n\\[${quotePattern(hidden(join(folder, 'notes')))}\\]\n`),
      ],
      [[`--config=${folder}/notes`], new RegExp(`\\[${quotePattern(hidden(join(folder, 'notes')))}\\]\n`)],
      [['/usr/missing', '/unheard-of/path', 'https://example.com/x', '/'], /^(?![\s\S]*sandbox)/],
    ]
    for (const [args, output] of cases) t.match(await run({ command: 'cat', args }), output)
    t.equal(await run({ command: 'echo', args: [`${folder}/notes`] }), `${folder}/notes\n[exit code 0]`)
  })

  await t.test('what it left in the background ends with it, wherever that went', async (t) => {
    const { shell } = await createWorkspace(t, inSandbox)
    const [held, away] = [createSleep(), createSleep()]
    const begin = `${held.command} & setsid ${away.command} < /dev/null > /dev/null 2>&1 &`
    t.equal(await shell(`${begin} sleep 0.2; echo done; exit 4`), 'done\n[exit code 4]')
    t.notOk(held.runs() || away.runs())
  })

  await t.test('time and output are limited, and a program may end by itself when asked to', async (t) => {
    const { run, shell } = await createWorkspace(t, inSandbox)
    const limit = { timeout_seconds: 1 }
    const [held, away] = [createSleep(), createSleep()]
    const [plain, polite, stubborn, endless] = await Promise.all([
      shell(`echo before; ${createSleep().command}; echo after`, limit),
      shell("trap 'echo bye; exit 5' TERM; sleep 1000 & wait", limit),
      shell(`trap '' TERM; ${held.command} & setsid ${away.command} & wait; sleep 1000`, limit),
      run({ command: 'yes', args: ['again'] }),
    ])
    t.equal(plain, 'before\n[ended by SIGTERM, as it did not end within 1 s]')
    t.equal(polite, 'bye\n[exit code 5 after it was asked to end, as it did not end within 1 s]')
    t.equal(stubborn, '(no output)\n[ended by SIGKILL, as it did not end within 1 s]')
    t.match(endless, /\nagain\n.*\n\[ended by SIGTERM, as it had written more than 16 MiB\]$/)
    t.notOk(held.runs() || away.runs(), 'nothing is left when the call ends')
    t.equal(await shell('kill -9 $$'), '(no output)\n[exit code 137]')
  })

  await t.test('an aborted signal kills all of it at once, and so does the end of the plugin', async (t) => {
    const { programs, shell } = await createWorkspace(t, inSandbox)
    const abort = new AbortController()
    const held = [createSleep(), createSleep()]
    const calls = held.map(({ command }) => shell(`trap '' TERM; ${command}`, {}, abort.signal))
    await Promise.all(held.map(({ begun }) => begun()))
    const stopped = calls.map((call) => t.rejects(call, { message: 'stopped' }))
    abort.abort(new Error('stopped'))
    await Promise.all(stopped)
    t.notOk(held.some(({ runs }) => runs()))
    const last = createSleep()
    const call = shell(last.command)
    call.catch(() => undefined)
    await last.begun()
    await programs.close()
    t.notOk(last.runs())
    await t.rejects(call, { message: 'the server is shutting down' })
  })

  await t.test('it ends with a server that is killed, at whatever moment', async (t) => {
    const home = createHome(t)
    const at = (name: string) =>
      JSON.stringify(new URL(`../../../plugins/tools/shell/${name}.js`, import.meta.url).href)
    for (let round = 0; round < ROUNDS; round += 1) {
      const { command, gone } = createSleep()
      const source = `
        const { createSandbox } = await import(${at('sandbox')})
        const { createProcesses } = await import(${at('processes')})
        const config = ${JSON.stringify({ ...LIMITS, ...inSandbox })}
        const sandbox = createSandbox({ config, server: { home: '${home}' }, log: console })
        const [file, ...args] = '${command}'.split(' ')
        const { path, start } = createProcesses({ sandbox })
        await sandbox.describe()
        console.log('ready')
        const order = { file, args, cwd: '/', env: { PATH: path }, hasInput: false, network: false, runsOn: false }
        await start({ ...order, writable: { folders: [], area: null } })
        console.log('started')`
      const server: ChildProcess = spawn(process.execPath, ['--input-type=module', '-e', source], {
        stdio: ['ignore', 'pipe', 'inherit'],
      })
      await once(server.stdout!, 'data')
      // From before bubblewrap is started to after the program is.
      if (round + 1 === ROUNDS) await once(server.stdout!, 'data')
      else await pause((round * 40) / ROUNDS)
      server.kill('SIGKILL')
      await once(server, 'exit')
      await t.resolves(gone(), `round ${round}: the program ends with the server`)
    }
    await eventually('no bubblewrap is left', () => findProcesses(home).length === 0)
  })

  await t.test('in a chat the workspace_root_dir of the account limits it', async (t) => {
    const folder = createFolder(t)
    const chat = await startChat(t, { config: { plugins: { shell: inSandbox } } })
    const { fake, server } = chat
    const agents = join(server.home, 'agents')
    mkdirSync(join(agents, 'another'), { recursive: true })
    await server.request('PATCH', '/users/admin', { body: { workspace_root_dir: folder } })
    const command = `echo x > ${folder}/made; ls ${agents}; echo x > ${tmpdir()}/svc-elsewhere; echo $?; ls ${server.home}`
    fake.next({ toolCalls: [call('call_x', 'execute', { command, shell: true })] }, { text: 'ok' })
    const { frames } = await (await chat.connect()).ask({ text: 'go' }, () => [approve])
    t.strictSame(resultsIn(frames), [['call_x', `${chat.agent_id}\n0\nagents\n[exit code 0]`, false]])
    t.equal(readFileSync(join(folder, 'made'), 'utf8'), 'x\n')
    t.notOk(existsSync(join(tmpdir(), 'svc-elsewhere')))
  })

  await t.test('doctor says so', async (t) => {
    t.match(await diagnose(t), { code: 0, ok: true, detail: /^bubblewrap: programs of agents see/ })
  })
})

/** Returns the line of `svc doctor` on the sandbox. */
async function diagnose(t: Test, settings: object = {}) {
  const plugins = { shell: { enabled: true, ...settings } }
  const home = createHome(t, bareConfig({ plugins, database: { url: await createDatabaseUrl(t) } }))
  const { code, stdout } = await runCommand(home, ['doctor', '--json'], { env: { SVC_PORT: '0' } })
  const findings: { check: string; ok: boolean; detail: string }[] = JSON.parse(stdout)
  return { code, ...findings.find(({ check }) => check === 'sandbox')! }
}

t.test('If bubblewrap does not work, programs run without it, which is logged once', async (t) => {
  breakBubblewrap(t)
  const { outside, logged, shell } = await createWorkspace(t, { sandbox: 'auto' })
  for (const command of [`touch ${outside}/one`, `touch ${outside}/two`])
    t.equal(await shell(command), '(no output)\n[exit code 0]')
  t.ok(existsSync(join(outside, 'two')))
  t.match(logged, [[{ reason: FORBIDDEN }, /there is no sandbox/]])
  t.equal(logged.length, 1)
  t.match(await diagnose(t), {
    code: 0,
    ok: true,
    detail:
      /^none: .* all rights of the server's user, .*; bwrap: setting up uid map: Permission denied \(.*\)$/,
  })
})

t.test('If the sandbox is required but missing, the server starts and runs no program', async (t) => {
  breakBubblewrap(t, { isMissing: true })
  const reason =
    /"required", but there is no sandbox: bubblewrap is not installed: there is no bwrap on the PATH/
  const plugins = { shell: { enabled: true, ...inSandbox } }
  await t.resolves(startKernel(t, { config: { plugins } }))
  t.match(await diagnose(t, inSandbox), { code: 1, ok: false, detail: reason })
  const { shell } = await createWorkspace(t, inSandbox)
  await t.rejects(shell('true'), { message: reason }, 'nothing runs without it')
})

t.test('If the sandbox is off, bubblewrap is not tried', async (t) => {
  breakBubblewrap(t)
  const { logged, shell } = await createWorkspace(t, { sandbox: 'off' })
  t.equal(await shell('echo free'), 'free\n[exit code 0]')
  t.strictSame(logged, [])
  t.match(await diagnose(t, { sandbox: 'off' }), { code: 0, detail: /^off by plugins\.shell\.sandbox: / })
})
