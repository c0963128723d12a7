import type { ErrorTable } from '#kernel'

/** Errors of changing runners. */
export const acpErrors = {
  ACP_RUNNER_BUILT_IN: {
    status: 403,
    code: 'FORBIDDEN',
    message: {
      en: 'The runner "{name}" is built in and cannot be deleted. Disable it instead.',
      zh: '“{name}”是内置运行器，不能删除，可以将其停用。',
    },
  },
  ACP_COMMAND_FORBIDDEN: {
    status: 403,
    code: 'FORBIDDEN',
    message: {
      en: 'Only an administrator may set the program of a runner.',
      zh: '只有管理员可以设置运行器所执行的程序。',
    },
  },
} satisfies ErrorTable

/** Thrown if a runner fails; the message continues "the external agent <name> …" and is for the model. */
export class RunnerFailure extends Error {}
