import { Switch, TextInput } from '@mantine/core'
import { t } from '../i18n/words.ts'
import { Check } from '../ui/check.tsx'
import { useIssue } from '../ui/issues.tsx'
import { SchemaForm } from '../ui/schema-form.tsx'
import type { Schema } from '../ui/schema-form-schema.ts'
import { type Channel, type ChannelKind, type ChannelValues, probeChannel } from './channel-form.ts'

interface Props {
  agentId: string
  kind: ChannelKind
  values: ChannelValues
  onChange(changes: Partial<ChannelValues>): void
  stored?: Channel
}

/** Another name of a field that is shown. */
const WITHOUT = ['client_secret']
/** Settings of conversations, which all kinds have, and settings that few people need. */
const LATER =
  /^(response_mode|show_|memory$|allow_from|approvers|group_context|card_template|encrypt_key|verification_token|http_proxy|websocket_url|c2c_|sandbox|username|mailbox|authserv_id|allow_plain_text)/

/** The fields of a channel, with a check of its credentials. */
export function ChannelFields({ agentId, kind, values, onChange, stored }: Props) {
  const schema = kind.config_schema as Schema
  const isAlias = 'secret' in (schema.properties ?? {}) && values.config.client_secret === undefined
  const check = async () => {
    const { ok, reason, detail } = await probeChannel(agentId, kind, values.config, stored)
    if (ok) return { isOk: true, text: t('channels.check_ok') }
    const isKnown = reason !== undefined && reason !== 'unknown'
    return {
      isOk: false,
      text: isKnown ? t(`channels.reason_${reason}`) : (detail ?? t('channels.reason_unknown')),
    }
  }
  return (
    <>
      <TextInput
        label={t('channels.name')}
        required
        error={useIssue('/name')}
        value={values.name}
        onChange={(event) => onChange({ name: event.currentTarget.value })}
        autoComplete="off"
      />
      <SchemaForm
        schema={schema}
        values={values.config}
        onChange={(config) => onChange({ config })}
        of={kind.kind}
        at="/config"
        without={isAlias ? WITHOUT : []}
        later={(name) => LATER.test(name)}
      />
      <Check label={t('channels.check')} check={check} />
      <Switch
        label={t('channels.enabled')}
        checked={values.enabled}
        onChange={(event) => onChange({ enabled: event.currentTarget.checked })}
      />
    </>
  )
}
