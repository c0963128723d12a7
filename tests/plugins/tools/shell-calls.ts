import { once } from 'node:events'
import { existsSync, readFileSync, watch } from 'node:fs'
import { mkdir, mkdtemp, realpath, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { ToolContext } from '../../../plugin-api/tool.ts'
import { createExecute, createPrograms } from '../../../plugins/tools/shell/execute.ts'
import type { Cradle } from '../../../plugins/tools/shell/manifest.ts'
import { createProcesses } from '../../../plugins/tools/shell/processes.ts'

import { createSandbox } from '../../../plugins/tools/shell/sandbox.ts'
import type { Test } from '../../run/file-test.ts'
import { createToolContext } from '../../support/tool-context.ts'

/** Creates a workspace with a folder beside it in the home of a server, and ways to run programs in it. */
export async function createWorkspace(t: Test, config: Partial<Cradle['config']> = {}) {
  const base = await realpath(await mkdtemp(join(tmpdir(), 'svc-shell-')))
  const settings: Cradle['config'] = {
    enabled: true,
    max_seconds: 600,
    max_processes: 8,
    sandbox: 'off',
    sandbox_folders: [],
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
  const tool = createExecute(() => ({ programs, processes }))
  const run = async (
    input: object,
    signal: AbortSignal = new AbortController().signal,
    write_area: ToolContext['write_area'] = null,
  ): Promise<string> => tool.execute(input as never, createToolContext({ workspace, signal, write_area }))
  const shell = (command: string, more: object = {}, signal?: AbortSignal) =>
    run({ command, shell: true, ...more }, signal)
  return { base, workspace, outside, programs, sandbox, logged, run, shell }
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
