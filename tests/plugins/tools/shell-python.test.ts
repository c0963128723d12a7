import { spawnSync } from 'node:child_process'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import t, { type Test } from '../../run/file-test.ts'
import { noBubblewrap } from '../../support/bubblewrap.ts'
import { startChat } from '../../support/chat.ts'
import { approve, call, reject, resultsIn } from '../conversations/approval-calls.ts'
import { createWorkspace } from './shell-calls.ts'

const has = (code: string) => spawnSync('/usr/bin/python3', ['-c', code]).status === 0
const noPython = noBubblewrap || (has('') ? false : 'Python is not installed')
const noMatplotlib = noPython || (has('import matplotlib') ? false : 'matplotlib is not installed')
const required = { sandbox: 'required' } as const

t.test('Python code runs as a script in the sandbox', { skip: noPython }, async (t) => {
  await t.test('its output, errors and end are returned', async (t) => {
    const { workspace, python, runPython } = await createWorkspace(t, required)
    t.ok(await python.isUsable())
    writeFileSync(join(workspace, 'helper.py'), 'def double(n): return 2 * n')
    // Neither replaces a module that the runner needs.
    for (const name of ['tempfile', 'traceback'])
      writeFileSync(join(workspace, `${name}.py`), 'raise SystemExit(9)')
    const code = `
from helper import double
import sys, os
def main(): print(double(21), __name__, len(sys.argv), "汉")
if __name__ == "__main__": main()
open("made.txt", "w").write("x")
print("wrong", file=sys.stderr)
sys.exit(3)`
    t.equal(await runPython(code), '[stdout]\n42 __main__ 1 汉\n[stderr]\nwrong\n[exit code 3]')
    t.ok(existsSync(join(workspace, 'made.txt')))
    t.equal(await runPython('print(1)\nprint(2)\n'), '1\n2\n[exit code 0]')
  })

  await t.test('a failure shows the line of the code, and a missing module is named', async (t) => {
    const { runPython } = await createWorkspace(t, required)
    const failed = await runPython('def divide(n):\n  return 1 / n\ndivide(0)')
    t.match(failed, /line 3, in <module>\n {4}divide\(0\)\n/)
    t.match(failed, /line 2, in divide\n {4}return 1 \/ n\n/)
    t.match(failed, /ZeroDivisionError: division by zero\n\[exit code 1\]$/)
    t.notMatch(failed, /<string>/, 'the runner is not part of it')
    t.match(await runPython('if:'), /line 1\n {4}if:\n.*\nSyntaxError: invalid syntax\n\[exit code 1\]$/)
    t.match(
      await runPython('import nothing_like_it'),
      /ModuleNotFoundError: No module named 'nothing_like_it'\n\[exit code 1\]$/,
    )
  })

  await t.test('it has the limits of every program', async (t) => {
    const { runPython } = await createWorkspace(t, { ...required, max_memory_mib: 256, max_seconds: 30 })
    t.match(
      await runPython('all = []\nwhile True: all.append(bytearray(1000000))'),
      /\[ended by SIGKILL, as it used more than 256 MiB of memory\]$|MemoryError/,
    )
    t.equal(
      await runPython('import time\ntime.sleep(1000)', { timeout_seconds: 1 }),
      '(no output)\n[ended by SIGTERM, as it did not end within 1 s]',
    )
    t.match(
      await runPython('import urllib.request as r\nr.urlopen("http://127.0.0.1:1")'),
      /\[programs have no network on this server: plugins\.shell\.network is false\]\n\[exit code 1\]$/,
    )
    t.equal(
      await runPython('import os\nprint(sorted(os.environ), os.getppid() < 5)'),
      "['HOME', 'LANG', 'MPLBACKEND', 'MPLCONFIGDIR', 'PATH', 'PWD'] True\n[exit code 0]",
    )
    await t.rejects(runPython('print(1)', { cwd: '..' }), { message: /outside the workspace/ })
    await t.rejects(runPython('print(1)', { timeout_seconds: 31 }), { message: /at most 30/ })
  })

  await t.test('processes that it starts by multiprocessing know its functions', async (t) => {
    const { runPython } = await createWorkspace(t, required)
    for (const method of ['fork', 'spawn'])
      t.equal(
        await runPython(`
import multiprocessing
def square(n): return n * n
if __name__ == "__main__":
  with multiprocessing.get_context("${method}").Pool(2) as pool: print(pool.map(square, [1, 2, 3]))`),
        '[1, 4, 9]\n[exit code 0]',
        method,
      )
  })
})

t.test('Figures of matplotlib', { skip: noMatplotlib }, async (t) => {
  const isPicture = (workspace: string, name: string) =>
    readFileSync(join(workspace, name)).subarray(1, 4).toString() === 'PNG'

  await t.test('that are left open or shown are saved and attached, also if the code fails', async (t) => {
    const { workspace, attached, runPython } = await createWorkspace(t, required)
    writeFileSync(join(workspace, 'figure-2.png'), 'mine')
    // The clocks of file systems are coarse.
    await pause(100)
    const output = await runPython(`
import matplotlib.pyplot as plt
plt.plot([1, 2, 3])
plt.show()
plt.plot([3, 2, 1])
plt.figure()
plt.plot([1, 1])
raise ValueError("too late")`)
    t.strictSame(attached.map(({ path, for_model }) => [path, for_model]).sort(), [
      ['figure-1.png', true],
      ['figure-3.png', true],
      ['figure-4.png', true],
    ])
    for (const { path } of attached) t.ok(isPicture(workspace, path), path)
    t.equal(readFileSync(join(workspace, 'figure-2.png'), 'utf8'), 'mine')
    t.match(output, /ValueError: too late\n\[shown to the user: .*\]\n\[exit code 1\]$/)
    t.notMatch(output, /UserWarning/)
  })

  await t.test('that the code saves itself are not saved again', async (t) => {
    const { attached, runPython } = await createWorkspace(t, required)
    const output = await runPython(`
import matplotlib
matplotlib.use("Agg")
from matplotlib import pyplot
import io
pyplot.plot([1, 2]); pyplot.savefig("mine.png"); pyplot.figure()
pyplot.plot([2, 1]); pyplot.savefig(io.BytesIO()); pyplot.figure()
pyplot.plot([1, 2]); pyplot.savefig("/tmp/lost.png")
`)
    t.strictSame(attached.map(({ path }) => path).sort(), ['figure-1.png', 'figure-2.png', 'mine.png'])
    t.match(output, /\[exit code 0\]$/)
  })
})

t.test(
  'Agents have the tool where Python is there, by the rules of execute',
  { skip: noPython },
  async (t) => {
    const chat = await startChat(t, { config: { plugins: { shell: required } } })
    const { fake, server, agent_id } = chat
    const python = (id: string) => ({ toolCalls: [call(id, 'run_python', { code: `print("${id}")` })] })
    const ask = async (decisions: () => object[]) =>
      (await chat.connect()).ask({ text: 'go' }, decisions as never)

    fake.next(python('call_1'), { text: 'ok' })
    const first = await ask(() => [approve])
    t.strictSame(resultsIn(first.frames), [['call_1', 'call_1\n[exit code 0]', false]], 'it asks first')

    const setRules = async (config: object) => {
      const { status, body } = await server.request('PATCH', `/agents/${agent_id}`, { body: { config } })
      t.equal(status, 200, JSON.stringify(body))
    }
    await setRules({ tools_without_approval: ['execute'] })
    fake.next(python('call_2'), { text: 'ok' })
    const second = await ask(() => [])
    t.strictSame(resultsIn(second.frames), [['call_2', 'call_2\n[exit code 0]', false]], 'free with execute')

    await setRules({ tools_with_approval: ['run_python'], tools_without_approval: ['execute'] })
    fake.next(python('call_3'), { text: 'ok' })
    const third = await ask(() => [reject('no')])
    t.match(resultsIn(third.frames), [['call_3', 'no', true]], 'a rule of its own is stronger')

    await server.call('PUT', `/agents/${agent_id}/tool-settings`, {
      disabled_builtin: ['execute'],
      plugins: [],
    })
    fake.next(python('call_4'), { text: 'ok' })
    const last = await ask(() => [])
    t.match(resultsIn(last.frames), [['call_4', /there is no tool "run_python"/, true]], 'off with execute')
  },
)

t.test('Without Python agents do not have it; without a required sandbox it says why', async (t) => {
  const breakPath = (t: Test) => {
    const { PATH } = process.env
    process.env.PATH = '/nowhere'
    t.teardown(() => {
      process.env.PATH = PATH
    })
  }
  breakPath(t)
  const { python, runPython } = await createWorkspace(t, required)
  t.ok(await python.isUsable(), 'a call explains it')
  await t.rejects(runPython('print(1)'), {
    message:
      'plugins.shell.sandbox is "required", but there is no sandbox: bubblewrap is not installed: there is no bwrap on the PATH',
  })
})
