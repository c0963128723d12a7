import { MODEL_CALL_ERRORS } from '#plugin-api'
import { route } from './manifest.ts'
import { draft, polishedPrompt } from './schemas.ts'

const polishPrompt = route({
  method: 'POST',
  path: '/agents/:id/chat/polish',
  operation_id: 'polishPrompt',
  summary: 'Improve a prompt',
  description:
    'Rewrites the draft of a message with the model and returns the new text. Nothing is sent. It uses the model of the agent unless `default_model` names another; no thread changes. The tokens of the call count as usage of the caller. The agent must be running.',
  guard: 'agent',
  scope: 'chat',
  body: draft,
  response: { 200: polishedPrompt },
  errors: [
    'AGENT_NOT_RUNNING',
    ...MODEL_CALL_ERRORS,
    'POLISH_EMPTY',
    'POLISH_INCOMPLETE',
    'POLISH_TIMED_OUT',
  ],
  audit: { none: "A draft is its author's alone, as threads are, and usage is metered." },
}).handle(async ({ agent, caller, body, locale, signal }, { polisher }) => ({
  text: await polisher.polish({ agent, caller, ...body, locale, signal }),
}))

/** The routes of this plugin. */
export const polishRoutes = [polishPrompt]
