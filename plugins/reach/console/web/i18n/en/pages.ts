import account from './account.json'
import agents from './agents.json'
import audit from './audit.json'
import channels from './channels.json'
import connectors from './connectors.json'
import did from './did.json'
import fields from './fields.json'
import groups from './groups.json'
import importWords from './import.json'
import imports from './imports.json'
import invites from './invites.json'
import knowledge from './knowledge.json'
import memory from './memory.json'
import overview from './overview.json'
import people from './people.json'
import plugins from './plugins.json'
import push from './push.json'
import schedules from './schedules.json'
import shares from './shares.json'
import sharing from './sharing.json'
import skills from './skills.json'
import sso from './sso.json'
import storage from './storage.json'
import trajectory from './trajectory.json'
import triggers from './triggers.json'
import twoFactor from './two-factor.json'
import usage from './usage.json'
import webSearch from './web-search.json'
import webhooks from './webhooks.json'

export default {
  schedules,
  knowledge,
  agents,
  account,
  audit,
  channels,
  connectors,
  did,
  fields,
  groups,
  import: importWords,
  imports,
  invites,
  memory,
  overview,
  people,
  plugins,
  push,
  shares,
  sharing,
  skills,
  sso,
  storage,
  trajectory,
  triggers,
  'two-factor': twoFactor,
  usage,
  'web-search': webSearch,
  webhooks,
}
