import type { Logger, ServerFacts } from '#plugin-api'
import { type Bubblewrap, findBubblewrap } from './bubblewrap.ts'
import type { Cradle } from './manifest.ts'
import { PROCESS_PATH } from './processes.ts'
import { type LimitSettings, type ProgramLimits, toLimitArgs, toLimits } from './program-limits.ts'
import { createSandboxView, type Look, type SandboxView, type Writable } from './sandbox-view.ts'
import { createTaskGroups, type TaskGroups } from './task-groups.ts'

const UNPROTECTED =
  "programs of agents run with all rights of the server's user, with network and without limits"

/** The way to run a program in the sandbox. */
export interface Enclosure {
  /** The command, with its first arguments, that runs another one in the sandbox. */
  command: string[]
  /** The command that runs another one, within the sandbox, with the limits of a single process. */
  limit: string[]
  limits: ProgramLimits
  groups: TaskGroups
  /** Returns the way in which a path appears there. */
  look: Look
}

/** The sandbox in which agents run programs. */
export type Sandbox = ReturnType<typeof createSandbox>

/** Creates the sandbox, which is tried out when it is first needed. */
export function createSandbox({
  config: { sandbox: mode, sandbox_folders: folders, network, integrations_network, ...settings },
  log,
  server,
}: {
  config: Pick<Cradle['config'], 'sandbox' | 'sandbox_folders' | 'network' | 'integrations_network'> &
    LimitSettings
  log: Pick<Logger, 'warn'>
  server: Pick<ServerFacts, 'home'>
}) {
  const limits = toLimits(settings)
  let opened: Promise<{ found: Bubblewrap; view: SandboxView; groups: TaskGroups }> | undefined

  async function open() {
    const view = await createSandboxView({ home: server.home, folders, max_bytes: limits.memory_bytes })
    const { args } = await view({ folders: [], area: null })
    const bubblewrap = await findBubblewrap(args, { env: { PATH: PROCESS_PATH }, network })
    if ('reason' in bubblewrap) {
      if (mode === 'required')
        throw new Error(`plugins.shell.sandbox is "required", but there is no sandbox: ${bubblewrap.reason}`)
      log.warn({ reason: bubblewrap.reason }, `there is no sandbox: ${UNPROTECTED}`)
    }
    return { found: bubblewrap, view, groups: await createTaskGroups() }
  }
  const openOnce = () => {
    opened ??= open()
    return opened
  }

  return {
    limits,

    /** True if programs that agents run may use the network, and if those that people set up may. */
    network,
    integrations_network,

    /** Returns the way to run a program in the sandbox; undefined without one. Throws if a required one is missing. */
    async enclose(writable: Writable, access: { network: boolean }): Promise<Enclosure | undefined> {
      if (mode === 'off') return undefined
      const { found: bubblewrap, view, groups } = await openOnce()
      if ('reason' in bubblewrap) return undefined
      const { args, look } = await view(writable)
      return {
        command: bubblewrap.enclose(args, access.network),
        limit: [bubblewrap.prlimit, ...toLimitArgs(limits), '--'],
        limits,
        groups,
        look,
      }
    },

    /** Describes the sandbox, or the reason why there is none. Throws if one is required. */
    async describe(): Promise<string> {
      if (mode === 'off') return `off by plugins.shell.sandbox: ${UNPROTECTED}`
      const { found: bubblewrap } = await openOnce()
      if ('reason' in bubblewrap) return `none: ${UNPROTECTED}; ${bubblewrap.reason}`
      const view = 'programs of agents see the system, read-only, and their workspace'
      return `bubblewrap: ${view}, ${network ? 'with' : 'without'} network`
    },
  }
}
