import type { Logger, ServerFacts } from '#plugin-api'
import { type Bubblewrap, findBubblewrap } from './bubblewrap.ts'
import type { Cradle } from './manifest.ts'
import { PROCESS_PATH } from './processes.ts'
import { createSandboxView, type Look, type SandboxView, type Writable } from './sandbox-view.ts'

const UNPROTECTED = "programs of agents run with all rights of the server's user"

/** The sandbox in which agents run programs. */
export type Sandbox = ReturnType<typeof createSandbox>

/** Creates the sandbox, which is tried out when it is first needed. */
export function createSandbox({
  config: { sandbox: mode, sandbox_folders: folders },
  log,
  server,
}: {
  config: Pick<Cradle['config'], 'sandbox' | 'sandbox_folders'>
  log: Pick<Logger, 'warn'>
  server: Pick<ServerFacts, 'home'>
}) {
  let opened: Promise<{ found: Bubblewrap; view: SandboxView }> | undefined

  async function open() {
    const view = await createSandboxView({ home: server.home, folders })
    const bubblewrap = await findBubblewrap((await view({ folders: [], area: null })).args, {
      PATH: PROCESS_PATH,
    })
    if ('reason' in bubblewrap) {
      if (mode === 'required')
        throw new Error(`plugins.shell.sandbox is "required", but there is no sandbox: ${bubblewrap.reason}`)
      log.warn({ reason: bubblewrap.reason }, `there is no sandbox: ${UNPROTECTED}`)
    }
    return { found: bubblewrap, view }
  }
  const openOnce = () => {
    opened ??= open()
    return opened
  }

  return {
    /**
     * Returns the command, with its first arguments, that runs another one in the sandbox, and how paths appear there;
     * undefined without a sandbox.
     */
    async enclose(writable: Writable): Promise<{ command: string[]; look: Look } | undefined> {
      if (mode === 'off') return undefined
      const { found: bubblewrap, view } = await openOnce()
      if ('reason' in bubblewrap) return undefined
      const { args, look } = await view(writable)
      return { command: [...bubblewrap.command, ...args], look }
    },

    /** Describes the sandbox, or the reason why there is none. Throws if one is required. */
    async describe(): Promise<string> {
      if (mode === 'off') return `off by plugins.shell.sandbox: ${UNPROTECTED}`
      const { found: bubblewrap } = await openOnce()
      return 'reason' in bubblewrap
        ? `none: ${UNPROTECTED}; ${bubblewrap.reason}`
        : 'bubblewrap: programs of agents see the system, read-only, and their workspace'
    },
  }
}
