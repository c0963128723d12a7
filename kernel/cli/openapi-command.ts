import { describeAsyncApi } from '../api-document/asyncapi.ts'
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

/** `svc asyncapi`: the sockets and event streams of a server with this configuration. */
export const asyncapiCommand: KernelCommand = {
  name: 'asyncapi',
  summary: 'Print the AsyncAPI 3.0 document',
  options: [JSON_OPTION],
  async run({ home, env, stdout }) {
    printJson(stdout, describeAsyncApi(await readBlueprint({ home, env })))
    return 0
  },
}
