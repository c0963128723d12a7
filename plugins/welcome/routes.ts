import { route } from './manifest.ts'
import { cronExamples, welcome } from './schemas.ts'
import { welcomeOf } from './welcome.ts'

const getWelcome = route({
  method: 'GET',
  path: '/agents/:id/chat/welcome',
  summary: "An agent's greeting, and what a conversation with it can begin with",
  guard: 'agent',
  response: { 200: welcome },
}).handle(({ agent }, { extensions }) => welcomeOf(agent, extensions['agents.experts']))

/** For those it is shared with as well: it tells nothing that the welcome does not. */
const getCronExamples = route({
  method: 'GET',
  path: '/agents/:id/cron/examples',
  summary: 'Examples of tasks that an agent can do at set times, those of its welcome',
  guard: 'agent',
  response: { 200: cronExamples },
}).handle(({ agent }, { extensions }) => {
  const { task_examples } = welcomeOf(agent, extensions['agents.experts'])
  return { task_examples }
})

/** The routes of what is shown before anything has been said. */
export const welcomeRoutes = [getWelcome, getCronExamples]
