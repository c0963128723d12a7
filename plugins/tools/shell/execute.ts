import { defineTool, objectOf, type Tool } from '#plugin-api'
import { DEFAULT_SECONDS, type ProgramServices, runInWorkspace } from './workspace-program.ts'

const input = objectOf(
  {
    command: {
      type: 'string',
      minLength: 1,
      maxLength: 100_000,
      description:
        'The name of a program or its path (relative to cwd), without arguments; with shell set, a command line for /bin/sh.',
    },
    args: {
      type: 'array',
      items: { type: 'string', maxLength: 100_000 },
      maxItems: 1000,
      description: 'The arguments of the program, each passed on unchanged. Not with shell.',
    },
    shell: {
      type: 'boolean',
      description:
        'Has /bin/sh read the command: needed for pipes, redirections, variables and wildcards. Default: false.',
    },
    cwd: {
      type: 'string',
      maxLength: 4096,
      description: 'The folder to run in, relative to the workspace. Default: the workspace.',
    },
    stdin: {
      type: 'string',
      maxLength: 1_000_000,
      description: 'The text that the program can read from its standard input. Default: nothing.',
    },
    timeout_seconds: {
      type: 'integer',
      minimum: 1,
      description: `Seconds after which the program is ended. Default: ${DEFAULT_SECONDS}; more to build, install or test something, usually up to 600.`,
    },
  },
  ['command'],
)

/** Creates the tool that runs a program in the workspace. */
export const createExecute = (services: () => ProgramServices): Tool =>
  defineTool({
    name: 'execute',
    label: { en: 'Run a program', zh: '运行程序' },
    description: `Runs a program on the server, in the workspace, and returns its output (the head and the tail if it is longer than 64 KiB), then its exit code.
Use it to build, test, convert, compute, or to use a command-line program. To read, write, list or search files use the file tools instead: they are quicker and need no approval.
Prefer a program with args: no shell reads them, so nothing in them has to be quoted. Set shell only for what needs one.
Nobody can answer a prompt: pass options such as --yes. Each call starts afresh: cd and variables do not carry over. Processes that still run when the program ends are ended with it, so nothing can be left in the background. Keep results in the workspace: other folders may be read-only, or emptied after the call. The environment has only PATH, HOME (the workspace) and LANG. Memory, processes and files are limited, and there may be no network. Pictures, tables and PDF files that the program writes in the workspace are shown to the user.`,
    input_schema: input,
    disableable: true,
    permission: 'execute',
    needsApproval: () => true,
    execute({ command, args = [], shell = false, ...options }, context) {
      if (shell && args.length > 0)
        throw new Error('with shell set there are no args: write them into the command, quoted')
      if ([command, ...args].some((text) => text.includes('\0')))
        throw new Error('the command contains a NUL character')
      const program = shell ? { file: '/bin/sh', args: ['-c', command] } : { file: command, args }
      return runInWorkspace({ ...program, ...options }, context, services())
    },
  })
