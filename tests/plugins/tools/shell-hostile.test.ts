import { spawn } from 'node:child_process'
import { once } from 'node:events'
import {
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { createServer, type Server } from 'node:net'
import { join } from 'node:path'
import { eventually } from '../../../plugin-api/testing/waiting.ts'
import { runProgram } from '../../../plugins/tools/shell/program.ts'
import t, { type Test } from '../../run/file-test.ts'
import { noBubblewrap } from '../../support/bubblewrap.ts'
import { createHome } from '../../support/kernel.ts'
import { createWorkspace, findProcesses, LIMITS } from './shell-calls.ts'

const noPython = noBubblewrap || (existsSync('/usr/bin/python3') ? false : 'Python is not installed')
const small = {
  sandbox: 'required' as const,
  max_memory_mib: 256,
  max_tasks: 60,
  max_file_mib: 16,
  max_disk_mib: 48,
}

let marks = 0
/** A text that only the command lines of one program contain. */
const createMark = () => `mark-${process.pid}-${++marks}-end`

/** Reads the variables and arguments of a process. */
const readProcess = (pid: string) => ({
  environ: readFileSync(`/proc/${pid}/environ`, 'utf8'),
  cmdline: readFileSync(`/proc/${pid}/cmdline`, 'utf8'),
})

/** Listens until the end of a test; returns the address. */
async function listen(t: Test, server: Server, ...where: [string] | [number, string]) {
  server.listen(...(where as [string]))
  await once(server, 'listening')
  t.teardown(() => server.close())
  return server.address()
}

t.test('A program that does harm to its machine', { skip: noBubblewrap }, async (t) => {
  /** Runs a command with small limits; nothing of it is left when it ends. */
  const harm = async (t: Test, command: string) => {
    const { shell, workspace } = await createWorkspace(t, small)
    const mark = createMark()
    const output = await shell(`: ${mark}; ${command}`, { timeout_seconds: 60 })
    t.strictSame(findProcesses(mark), [], 'no process is left')
    return { output, workspace }
  }
  const memory = /\[ended by SIGKILL, as it used more than 256 MiB of memory\]$/
  const tasks = /(?:as it had more than|a program may have) 60 processes and threads/
  const disk = /\[ended by SIGKILL, as it wrote more than 48 MiB to the disk\]$/
  const node = (source: string) => `node -e '${source}'`

  const cases: [name: string, command: string, output: RegExp][] = [
    [
      'fills the memory',
      node('const all = []; setInterval(() => all.push(Buffer.alloc(4e6, 1)), 5)'),
      memory,
    ],
    [
      'has children fill it, each with little',
      `for i in 1 2 3 4 5 6; do ${node('const all = Buffer.alloc(6e7, 1); setTimeout(() => all, 9e6)')} & done; wait`,
      memory,
    ],
    [
      'fills /tmp',
      'for i in 1 2 3 4 5 6 7 8 9; do head -c 16M /dev/zero > /tmp/$i; done; for i in 1 2 3 4 5 6 7 8 9; do head -c 16M /dev/zero > /dev/shm/$i; done; sleep 50',
      memory,
    ],
    // Bounded: the kernel exempts root from its limit of processes, so a real bomb could block the whole machine.
    ['starts too many programs', 'for i in $(seq 200); do sleep 50 & done; wait', tasks],
    [
      'starts too many that ignore every signal',
      `trap "" TERM INT HUP; for i in $(seq 200); do setsid sh -c 'trap "" TERM; sleep 50' & done; wait`,
      tasks,
    ],
    [
      'fills the disk with many files',
      'i=0; while :; do i=$((i+1)); head -c 4M /dev/zero > file-$i; done',
      disk,
    ],
    [
      'fills the disk with files that have no name',
      node(
        'const fs = require("fs"); setInterval(() => { const file = fs.openSync("x", "w"); fs.unlinkSync("x"); fs.writeSync(file, Buffer.alloc(4e6, 1)); }, 5)',
      ),
      disk,
    ],
    [
      'writes one large file',
      'head -c 100M /dev/zero > large',
      /\[a file may have 16 MiB here\]\n\[exit code \d+\]$/,
    ],
    [
      'is killed by its own large file',
      'exec head -c 100M /dev/zero > large',
      /\[a file may have 16 MiB here\]\n\[exit code 153\]$/,
    ],
    ['reserves more than a file may have', 'fallocate -l 1G large', /\[a file may have 16 MiB here\]/],
    [
      'kills everything',
      'kill -KILL -1 2> /dev/null; kill -KILL 1; sleep 0.1; echo on',
      /^on\n\[exit code 0\]$/,
    ],
  ]
  for (const [name, command, wanted] of cases)
    await t.test(name, async (t) => t.match((await harm(t, command)).output, wanted))

  await t.test('leaves a daemon behind that has cut all its ties', { skip: noPython }, async (t) => {
    const { output } = await harm(
      t,
      `python3 -c '
import os, signal, sys, time
if os.fork() == 0:
  os.setsid()
  if os.fork() == 0:
    for name in range(1, 32):
      try: signal.signal(name, signal.SIG_IGN)
      except (OSError, ValueError): pass
    for fd in range(0, 64):
      try: os.close(fd)
      except OSError: pass
    time.sleep(1000)
  os._exit(0)
os.wait()
print("left")'`,
    )
    t.equal(output, 'left\n[exit code 0]')
  })

  await t.test('learns its limit if it asks for too much at once', { skip: noPython }, async (t) => {
    const { output } = await harm(t, 'python3 -c "bytearray(10**10)"')
    t.match(
      output,
      /MemoryError\n\[a program may use 256 MiB of memory here, with the files in \/tmp\]\n\[exit code 1\]/,
    )
  })

  await t.test('starts too many threads', { skip: noPython }, async (t) => {
    const { output } = await harm(
      t,
      `python3 -c '
import threading, time
for _ in range(300): threading.Thread(target=time.sleep, args=(50,)).start()'`,
    )
    t.match(output, /more than 60 processes and threads|a program may have 60 processes and threads here/)
  })
})

t.test('A program that looks for secrets', { skip: noBubblewrap }, async (t) => {
  await t.test('finds none of the server: not by links, processes, devices or descriptors', async (t) => {
    const { base, outside, workspace, shell } = await createWorkspace(t, small)
    process.env.SVC_TEST_SECRET = 'the-secret-of-the-server'
    t.teardown(() => delete process.env.SVC_TEST_SECRET)
    for (const folder of [base, outside]) writeFileSync(join(folder, 'secret.key'), 'the-secret-key')
    mkdirSync(join(base, 'backups'))
    writeFileSync(join(base, 'backups', 'one'), 'the-secret-key')
    symlinkSync(join(base, 'secret.key'), join(workspace, 'link'))
    symlinkSync(base, join(workspace, 'up'))
    await listen(t, createServer(), join(base, 'socket'))
    const output = await shell(`
      cat link up/secret.key ../secret.key ../agent-outside/secret.key ${base}/backups/one
      for pid in /proc/[0-9]*; do
        cat $pid/environ $pid/root${base}/secret.key $pid/cwd/../secret.key $pid/cmdline
        ls -l $pid/fd
        for fd in $pid/fd/*; do [ -d $fd ] && cat $fd/secret.key $fd/../secret.key; done
      done
      find / -xdev \\( -name secret.key -o -name socket -type s \\) -not -path "$HOME/*"
      unshare -Urm sh -c 'umount -l ${base}; mount -t proc proc /proc; cat ${base}/secret.key; cat /proc/*/environ'
      mknod disk b 259 0 || mknod disk b 8 0; head -c 10 disk
      chroot /proc/1/root cat ${base}/secret.key
      echo x > /dev/made; echo 1 > /proc/sys/kernel/sysrq; echo x > /proc/sysrq-trigger; ls /dev
      true`)
    t.notMatch(output, /the-secret/)
    t.notMatch(output, /\/socket|socket\n/)
    t.notMatch(output, /\b(sd[a-z]|vd[a-z]|nvme\d|kmsg|mem)\b.*\n/)
    t.match(output, /dev\/made: Read-only file system/)
    t.notOk(existsSync('/dev/made'))
  })

  await t.test('has no open file but its streams', async (t) => {
    const home = createHome(t)
    writeFileSync(join(home, 'secret.key'), 'the-secret-key')
    const at = (name: string) =>
      JSON.stringify(new URL(`../../../plugins/tools/shell/${name}.js`, import.meta.url).href)
    for (const sandbox of ['required', 'off']) {
      const source = `
        const { createSandbox } = await import(${at('sandbox')})
        const { createProcesses } = await import(${at('processes')})
        const { runProgram } = await import(${at('program')})
        const config = ${JSON.stringify({ ...LIMITS, sandbox })}
        const { start, path } = createProcesses({ sandbox: createSandbox({ config, server: { home: '${home}' }, log: console }) })
        const command = 'readlink /proc/$$/fd/*; cat <&47 /proc/self/fd/49/secret.key'
        const order = { file: '/bin/bash', args: ['-c', command], cwd: '/', env: { PATH: path }, network: false, seconds: 50 }
        const { output } = await runProgram({ ...order, writable: { folders: [], area: null } }, { start, signal: new AbortController().signal })
        console.log(output)`
      // A parent left a folder and a file open, as a shell or a supervisor may.
      const command = `exec 47< ${home}/secret.key 49< ${home}; exec "$0" --input-type=module -e "$1"`
      const server = spawn('/bin/bash', ['-c', command, process.execPath, source], {
        stdio: ['ignore', 'pipe', 'inherit'],
      })
      let said = ''
      server.stdout.on('data', (chunk) => {
        said += chunk
      })
      await once(server, 'close')
      t.notMatch(said, /the-secret-key/, sandbox)
      const open = new Set(said.match(/^(?:\/|socket:|pipe:|anon_inode:).*/gm))
      // The inherited ones are empty, and the others are its streams.
      t.equal([...open].filter((target) => target !== '/dev/null').length, 2, said)
    }
  })

  await t.test(
    'has variables that neither change how its sandbox is made nor show in a list of processes',
    async (t) => {
      const { base, workspace, processes } = await createWorkspace(t, small)
      const [mark, made] = [createMark(), join(base, 'made')]
      const start = (env: Record<string, string>) =>
        runProgram(
          {
            ...{
              file: '/bin/sh',
              args: ['-c', `: ${mark}; echo $SECRET; sleep 1`],
              cwd: workspace,
              network: false,
              seconds: 50,
            },
            ...{ env: { PATH: processes.path, ...env }, writable: { folders: [workspace], area: null } },
          },
          { start: processes.start, signal: new AbortController().signal },
        )
      const running = start({
        SECRET: 'the-secret',
        ENV: made,
        BASH_ENV: made,
        LD_PRELOAD: made,
        SHELLOPTS: 'xtrace',
      })
      const [pid] = await eventually('it runs', () => {
        const pids = findProcesses(mark)
        return pids.length > 3 ? pids : undefined
      })
      const { environ, cmdline } = readProcess(pid!)
      t.notMatch(environ + cmdline, /the-secret|LD_PRELOAD/)
      t.match((await running).output, /the-secret/)
      await t.rejects(start({ SECRET: `x\0--bind\0${base}\0${base}` }), { message: /NUL character/ })
    },
  )

  await t.test('reaches neither the server nor the machine over the network', async (t) => {
    const name = `svc-${createMark()}`
    const address = await listen(
      t,
      createServer((socket) => socket.end('hello')),
      0,
      '127.0.0.1',
    )
    await listen(
      t,
      createServer((socket) => socket.end('hello')),
      `\0${name}`,
    )
    const { port } = address as { port: number }
    const connect = (where: string) =>
      `node -e 'const socket = require("net").connect(${where}); socket.pipe(process.stdout); socket.on("error", (error) => console.log(error.code))'`
    const command = `${connect(`${port}, "127.0.0.1"`)}; ${connect(`"\\0${name}"`)}; ${connect('53, "192.0.2.1"')}; tail -n +3 /proc/net/dev | wc -l`
    const { shell } = await createWorkspace(t, small)
    t.equal(await shell(command), 'ECONNREFUSED\nECONNREFUSED\nENETUNREACH\n1\n[exit code 0]')
    t.match(
      await shell(`${connect(`${port}, "127.0.0.1"`)}; exit 1`),
      /\[programs have no network on this server: plugins\.shell\.network is false\]\n\[exit code 1\]/,
    )
    const open = await createWorkspace(t, { ...small, network: true })
    t.equal(await open.shell(connect(`${port}, "127.0.0.1"`)), 'hello[exit code 0]'.replace('[', '\n['))
  })

  await t.test(
    'can tell the server nothing over the descriptors of its sandbox',
    { skip: noPython },
    async (t) => {
      const { shell } = await createWorkspace(t, small)
      const output = await shell(`python3 -c '
import ctypes, os
libc = ctypes.CDLL(None)
first = libc.syscall(434, 1, 0)
for fd in range(3, 32):
  copy = libc.syscall(438, first, fd, 0)
  if copy >= 0:
    try: os.write(copy, b"{\\"child-pid\\": 1}\\n}}}} not JSON\\n" * 100)
    except OSError: pass
for pid in ("1", "2"):
  for fd in range(3, 32):
    try:
      with open("/proc/%s/fd/%d" % (pid, fd), "w") as file: file.write("}}}}\\n")
    except OSError: pass
print("done")'`)
      t.equal(output, 'done\n[exit code 0]')
      t.equal(await shell('echo on'), 'on\n[exit code 0]', 'the server works on')
    },
  )

  await t.test('writes nothing outside its workspace', async (t) => {
    const { base, outside, workspace, shell } = await createWorkspace(t, small)
    const names = readdirSync(base)
    await shell(`
      ln -s ${base} up; ln -s ${outside} beside
      for folder in up beside .. ${base} ${outside} /etc /usr /opt /sys; do echo x > $folder/made; done
      mv ../agent-outside ../gone; rm -rf ../agent-outside; true`)
    t.strictSame(readdirSync(base), names)
    for (const folder of [base, outside, '/etc', '/usr', '/opt'])
      t.notOk(existsSync(join(folder, 'made')), folder)
    t.ok(lstatSync(join(workspace, 'up')).isSymbolicLink())
  })
})
