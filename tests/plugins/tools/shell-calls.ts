import { once } from 'node:events'
import { existsSync, readdirSync, readFileSync, watch } from 'node:fs'
import { mkdir, mkdtemp, realpath, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { ToolContext } from '../../../plugin-api/tool.ts'
import { createExecute } from '../../../plugins/tools/shell/execute.ts'
import type { Cradle } from '../../../plugins/tools/shell/manifest.ts'
import { createProcesses } from '../../../plugins/tools/shell/processes.ts'
import { createPrograms } from '../../../plugins/tools/shell/programs.ts'
import { createPython } from '../../../plugins/tools/shell/python.ts'
import { createRunPython } from '../../../plugins/tools/shell/run-python.ts'
import { createSandbox } from '../../../plugins/tools/shell/sandbox.ts'
import type { Test } from '../../run/file-test.ts'
import { createToolContext } from '../../support/tool-context.ts'

/** The settings of what programs may use, as they are by default. */
export const LIMITS = {
  max_memory_mib: 2048,
  max_tasks: 512,
  max_file_mib: 1024,
  max_disk_mib: 4096,
  network: false,
  integrations_network: true,
  sandbox_folders: [],
}

/** Creates a workspace with a folder beside it in the home of a server, and ways to run programs in it. */
export async function createWorkspace(t: Test, config: Partial<Cradle['config']> = {}) {
  const base = await realpath(await mkdtemp(join(tmpdir(), 'svc-shell-')))
  const settings: Cradle['config'] = {
    enabled: true,
    max_seconds: 600,
    max_processes: 8,
    ...LIMITS,
    sandbox: 'off',
    ...config,
  }
  const logged: unknown[][] = []
  const sandbox = createSandbox({
    config: settings,
    server: { home: base },
    log: { warn: (...said: unknown[]) => void logged.push(said) },
  })
  const processes = createProcesses({ sandbox })
  const programs = createPrograms({ config: settings, processes })
  t.teardown(async () => {
    await programs.close()
    await rm(base, { recursive: true, force: true })
  })
  const [workspace, outside] = [join(base, 'agent'), join(base, 'agent-outside')]
  await mkdir(join(workspace, 'sub'), { recursive: true })
  await mkdir(outside)
  const services = { programs, processes, sandbox, python: createPython({ processes }) }
  const [tool, python] = [createExecute(() => services), createRunPython(() => services)]
  const attached: Parameters<ToolContext['attach']>[0][] = []
  const attach = (file: (typeof attached)[number]) => void attached.push(file)
  const run = async (
    input: object,
    signal: AbortSignal = new AbortController().signal,
    write_area: ToolContext['write_area'] = null,
  ): Promise<string> =>
    tool.execute(input as never, createToolContext({ workspace, signal, write_area, attach }))
  const runPython = async (code: string, more: object = {}): Promise<string> =>
    python.execute({ code, ...more } as never, createToolContext({ workspace, attach }))
  const shell = (command: string, more: object = {}, signal?: AbortSignal) =>
    run({ command, shell: true, ...more }, signal)
  return {
    base,
    workspace,
    outside,
    programs,
    processes: { start: processes.start, path: processes.path },
    python: services.python,
    sandbox,
    logged,
    attached,
    run,
    shell,
    runPython,
  }
}

/** Waits until a file of this folder holds a whole line, and returns the numbers in it. */
export async function numbersIn(folder: string, name: string): Promise<number[]> {
  const path = join(folder, name)
  const changes = watch(folder)
  try {
    for (;;) {
      const text = existsSync(path) ? readFileSync(path, 'utf8') : ''
      if (text.endsWith('\n')) return text.trim().split(/\s+/).map(Number)
      await once(changes, 'change')
    }
  } finally {
    changes.close()
  }
}

/** True if a process runs and is not a zombie. */
export function isRunning(pid: number): boolean {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'latin1')
    return !'ZX'.includes(stat.slice(stat.lastIndexOf(')') + 2)[0]!)
  } catch (error) {
    if (['ENOENT', 'ESRCH'].includes((error as NodeJS.ErrnoException).code!)) return false
    throw error
  }
}

/** Finds the processes of the machine whose command line contains a text. */
export const findProcesses = (text: string): string[] =>
  readdirSync('/proc').filter((pid) => /^\d+$/.test(pid) && readCommandLine(pid).includes(text))

function readCommandLine(pid: string): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8')
  } catch {
    // It has ended.
    return ''
  }
}

/** Starts children that ignore SIGTERM and a grandchild in its own shell, and writes all pids to a file. */
export const FAMILY = `
trap '' TERM
sleep 1000 &
first=$!
sh -c 'trap "" TERM HUP INT; sleep 1000 & echo $! $$ > grand.tmp; mv grand.tmp grandchildren; wait; sleep 1000' &
while ! [ -e grandchildren ]; do sleep 0.01; done
echo $$ $first $! $(cat grandchildren) > pids.tmp
mv pids.tmp pids
`
