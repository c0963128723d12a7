import { objectOf, pageQuery } from '#kernel'
import { agentRow, listedAgentRow, newAgent } from '#plugin-api'

/** PATCH /agents/:id; null clears a nullable field, `config` is replaced as a whole. */
export const agentChanges = objectOf(newAgent.properties)

/** GET /agents. */
export const agentRows = { type: 'array', items: listedAgentRow } as const

/** The query of GET /agents. */
export const listQuery = objectOf({ scope: { enum: ['mine', 'all'], default: 'mine' }, ...pageQuery })

const { state, last_error } = agentRow.properties

/** GET /agents/:id/status. */
export const agentStatus = {
  title: 'AgentStatus',
  ...objectOf(
    {
      state,
      last_error,
      since: { type: 'integer', description: 'Unix seconds' },
      channels: {
        type: 'array',
        description: 'The first 200 by name',
        items: objectOf(
          {
            id: { type: 'string' },
            kind: { type: 'string' },
            name: { type: 'string' },
            state: { type: 'string' },
          },
          ['id', 'kind', 'name', 'state'],
        ),
      },
      turns_active: { type: 'integer', minimum: 0 },
      model: { type: ['string', 'null'], description: 'What a turn would use now, as <provider>:<model>' },
    },
    ['state', 'last_error', 'since', 'channels', 'turns_active', 'model'],
  ),
} as const
