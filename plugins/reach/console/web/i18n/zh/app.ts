import account from './account.json'
import agents from './agents.json'
import approvals from './approvals.json'
import audit from './audit.json'
import channels from './channels.json'
import chat from './chat.json'
import connectors from './connectors.json'
import did from './did.json'
import fields from './fields.json'
import firstRun from './first-run.json'
import forms from './forms.json'
import frame from './frame.json'
import invites from './invites.json'
import knowledge from './knowledge.json'
import models from './models.json'
import overview from './overview.json'
import people from './people.json'
import schedules from './schedules.json'
import skills from './skills.json'
import sso from './sso.json'
import tools from './tools.json'
import trajectory from './trajectory.json'
import twoFactor from './two-factor.json'
import usage from './usage.json'

export default {
  account,
  agents,
  approvals,
  audit,
  channels,
  chat,
  connectors,
  did,
  fields,
  'first-run': firstRun,
  forms,
  frame,
  invites,
  knowledge,
  models,
  overview,
  people,
  schedules,
  skills,
  sso,
  tools,
  trajectory,
  'two-factor': twoFactor,
  usage,
}
