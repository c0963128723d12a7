import { describeApi } from '../api-document/openapi.ts'
import { kernelRoutes } from '../http/kernel-routes.ts'
import { readBlueprint } from '../loading/blueprint.ts'
import type { KernelCommand } from './kernel-command.ts'
import { JSON_OPTION, printJson } from './print.ts'

/** `svc openapi`: the schema that a server with this configuration serves, without starting one. */
export const openapiCommand: KernelCommand = {
  name: 'openapi',
  summary: 'Print the OpenAPI 3.1 document',
  options: [JSON_OPTION],
  async run({ home, env, stdout }) {
    const blueprint = await readBlueprint({ home, env })
    printJson(stdout, describeApi(blueprint, kernelRoutes(blueprint)))
    return 0
  },
}
