import { Alert, Button, Stack, Switch, TextInput } from '@mantine/core'
import { useState } from 'react'
import type { components } from '#client'
import { t } from '../i18n/words.ts'
import { Failure } from '../ui/failure.tsx'
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
/** Settings of conversations, which all kinds have, and what few people need. */
const LATER =
  /^(response_mode|show_|allow_from|approvers|group_context|card_template|encrypt_key|verification_token|http_proxy|websocket_url|c2c_|sandbox)/

/** The fields of a channel, with a check of its credentials. */
export function ChannelFields({ agentId, kind, values, onChange, stored }: Props) {
  const schema = kind.config_schema as Schema
  const isAlias = 'secret' in (schema.properties ?? {}) && values.config.client_secret === undefined
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
      <ChannelCheck agentId={agentId} kind={kind} values={values} stored={stored} />
      <Switch
        label={t('channels.enabled')}
        checked={values.enabled}
        onChange={(event) => onChange({ enabled: event.currentTarget.checked })}
      />
    </>
  )
}

type Outcome = components['schemas']['ChannelProbeResult']

function ChannelCheck({
  agentId,
  kind,
  values,
  stored,
}: Omit<Props, 'onChange' | 'stored'> & { stored: Channel | undefined }) {
  const [isBusy, setBusy] = useState(false)
  const [outcome, setOutcome] = useState<Outcome>()
  const [error, setError] = useState<unknown>()
  const check = async () => {
    setBusy(true)
    setError(undefined)
    setOutcome(undefined)
    await probeChannel(agentId, kind, values.config, stored).then(setOutcome, setError)
    setBusy(false)
  }
  const reason =
    outcome?.reason && outcome.reason !== 'unknown' ? t(`channels.reason_${outcome.reason}`) : outcome?.detail
  return (
    <Stack gap="sm" align="flex-start" aria-live="polite">
      <Button variant="default" onClick={check} loading={isBusy}>
        {t('channels.check')}
      </Button>
      {error !== undefined && <Failure error={error} />}
      {outcome?.ok === true && (
        <Alert color="indigo" variant="light">
          {t('channels.check_ok')}
        </Alert>
      )}
      {outcome?.ok === false && (
        <Alert color="red" variant="light" role="alert">
          {reason ?? t('channels.reason_unknown')}
        </Alert>
      )}
    </Stack>
  )
}
