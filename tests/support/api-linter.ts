import { type Async3Rule, createConfig, lintFromString, type Oas3Rule } from '@redocly/openapi-core'
import { Ajv, type AnySchema } from 'ajv'

type Reference = { $ref: string }

/** Reports default values that do not fit their schema. */
const validDefaults: Oas3Rule = () => {
  const ajv = new Ajv({ strict: false, validateFormats: false })
  return {
    Root(document) {
      ajv.addSchema(document as AnySchema, 'document')
    },
    Schema(schema, { location, report }) {
      if (!('default' in schema)) return
      if (!ajv.validate({ $ref: `document${location.pointer}` }, schema.default))
        report({ message: ajv.errorsText(), location: location.child('default') })
    },
  }
}

/** Reports parameters of a path that are not required, as they must be. */
const requiredPathParameters: Oas3Rule = () => ({
  Parameter(parameter, { location, report }) {
    if (parameter.in === 'path' && parameter.required !== true)
      report({ message: 'A parameter of a path must be required.', location })
  },
})

/** Reports channels whose parameters differ from the parameters of their address. */
const channelParameters: Async3Rule = () => ({
  Channel({ address, parameters = {} }, { location, report }) {
    const names = [...String(address).matchAll(/\{(.+?)\}/g)].map(([, name]) => name)
    if (String(names.sort()) !== String(Object.keys(parameters).sort()))
      report({ message: `The parameters of the address are: ${names.join(', ')}.`, location })
  },
})

/** Reports messages of an operation that its channel does not have. */
const messagesOfChannel: Async3Rule = () => ({
  Operation(operation, { location, report }) {
    const { channel, messages } = operation as unknown as { channel: Reference; messages: Reference[] }
    for (const [index, { $ref }] of messages.entries())
      if (!$ref.startsWith(`${channel.$ref}/messages/`))
        report({
          message: `"${$ref}" is not a message of the channel.`,
          location: location.child(['messages', index]),
        })
  },
})

const config = await createConfig({
  extends: ['recommended'],
  plugins: [
    {
      id: 'svc',
      rules: {
        oas3: { 'valid-defaults': validDefaults, 'required-path-parameters': requiredPathParameters },
        async3: { 'channel-parameters': channelParameters, 'messages-of-channel': messagesOfChannel },
      },
      typeExtension: {
        // Redocly expects the object of OpenAPI.
        async3: (types) => ({
          ...types,
          Schema: {
            ...types.Schema!,
            properties: { ...types.Schema!.properties, discriminator: { type: 'string' } },
          },
        }),
      },
    },
  ],
  oas3_1Rules: {
    'svc/valid-defaults': 'error',
    'svc/required-path-parameters': 'error',
    'operation-tag-defined': 'error',
  },
  async3Rules: {
    'svc/channel-parameters': 'error',
    'svc/messages-of-channel': 'error',
    // In AsyncAPI, readers ignore a description beside a reference.
    'spec-ref-siblings': 'off',
    // A public socket has none, and references to a scheme are resolved.
    'security-defined': 'off',
  },
})

/** Channels only name the tags of the document. */
const isChannelTag = (pointer: string) => /^#\/channels\/\w+\/tags\//.test(pointer)

/** Lists the faults of an OpenAPI or AsyncAPI document. */
export async function lint(document: object): Promise<string[]> {
  const problems = await lintFromString({ source: JSON.stringify(document), absoluteRef: 'api.json', config })
  return problems
    .map(({ ruleId, message, location: [firstLocation] }) => ({
      ruleId,
      message,
      pointer: firstLocation!.pointer!,
    }))
    .filter(({ pointer }) => !isChannelTag(pointer))
    .map(({ ruleId, message, pointer }) => `${ruleId}: ${message} ${pointer}`)
}
