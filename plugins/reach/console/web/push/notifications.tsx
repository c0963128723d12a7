import { Button, Group, Text } from '@mantine/core'
import { useState } from 'react'
import type { components } from '#client'
import { describeDevice, isPhone } from '../account/device.ts'
import { t } from '../i18n/words.ts'
import { client } from '../server/client.ts'
import { send } from '../server/send.ts'
import { Failure } from '../ui/failure.tsx'
import { Laptop, Smartphone } from '../ui/icons.ts'
import listClasses from '../ui/list.module.css'
import { ListRow } from '../ui/list-row.tsx'
import { Outcome } from '../ui/outcome.tsx'
import { Pending } from '../ui/pending.tsx'
import { Section } from '../ui/section.tsx'
import { State } from '../ui/state.tsx'
import { Time } from '../ui/time.tsx'
import { Toggle } from '../ui/toggle.tsx'
import { useAction } from '../ui/use-action.ts'
import { type DeviceState, removeDevice, subscribe, unsubscribe } from './device.ts'
import { usePush } from './use-device.ts'

type OwnPush = components['schemas']['OwnPush']
type SentTest = components['schemas']['SentTestNotification']

/** The notifications of the account: a switch for this device, and the list of all of them. */
export function Notifications() {
  const { push, device, error, refetch, readAgain } = usePush()
  return (
    <Section title={t('push.title')} about={t('push.about')}>
      {push && device ? (
        <>
          <ThisDevice state={device.state} public_key={push.public_key} onChange={readAgain} />
          {push.subscriptions.length > 0 && (
            <Devices devices={push.subscriptions} own={device.endpoint} onChange={readAgain} />
          )}
        </>
      ) : (
        <Pending error={error} refetch={refetch} height={60} />
      )}
    </Section>
  )
}

interface ThisDeviceProps {
  state: DeviceState
  public_key: string
  onChange(): Promise<unknown>
}

/** The switch of this device, or the reason why it has none. */
function ThisDevice({ state, public_key, onChange }: ThisDeviceProps) {
  const { error, run } = useAction()
  const canSwitch = state === 'on' || state === 'off'
  const toggle = (checked: boolean) =>
    run(() => (checked ? subscribe(public_key) : unsubscribe()).finally(onChange))
  return (
    <>
      <Toggle
        label={t('push.this_device')}
        description={canSwitch ? t('push.this_device_help') : t(`push.${state}`)}
        checked={state === 'on'}
        disabled={!canSwitch}
        onToggle={toggle}
      />
      {error !== undefined && <Failure error={error} />}
    </>
  )
}

interface DevicesProps {
  devices: OwnPush['subscriptions']
  /** The endpoint of this browser. */
  own: string | undefined
  onChange(): Promise<unknown>
}

/** The devices that receive notifications, and a test for all of them. */
function Devices({ devices, own, onChange }: DevicesProps) {
  const { isBusy, error, run } = useAction()
  const [tested, setTested] = useState<SentTest>()
  const test = () =>
    run(async () => {
      setTested(undefined)
      setTested(await send(client.POST('/auth/me/push/test')).finally(onChange))
    })
  const remove = (endpoint: string) =>
    run(() => (endpoint === own ? unsubscribe() : removeDevice(endpoint)).finally(onChange))
  return (
    <>
      <ul className={listClasses.rows} aria-label={t('push.devices')}>
        {devices.map(({ endpoint, user_agent, created_at, last_sent_at }) => (
          <ListRow
            key={endpoint}
            icon={isPhone(user_agent) ? <Smartphone size={16} /> : <Laptop size={16} />}
            title={describeDevice(user_agent)}
            meta={
              <>
                {t('push.since')} <Time at={created_at} />
                {last_sent_at !== null && (
                  <>
                    {' · '}
                    {t('push.last_sent')} <Time at={last_sent_at} />
                  </>
                )}
              </>
            }
          >
            {endpoint === own && <State tone="on">{t('push.own')}</State>}
            <Button size="xs" variant="default" disabled={isBusy} onClick={() => remove(endpoint)}>
              {t('push.remove')}
            </Button>
          </ListRow>
        ))}
      </ul>
      <Group>
        <Button size="xs" variant="default" loading={isBusy} onClick={test}>
          {t('push.test')}
        </Button>
      </Group>
      {tested && (
        <Outcome color={tested.failed > 0 ? 'red' : 'green'} isUrgent>
          <TestResult {...tested} />
        </Outcome>
      )}
      {error !== undefined && <Failure error={error} />}
    </>
  )
}

function TestResult({ sent, ended, failed }: SentTest) {
  return (
    <>
      {sent > 0 && <Text size="sm">{t('push.tested', { count: sent })}</Text>}
      {ended > 0 && <Text size="sm">{t('push.ended', { count: ended })}</Text>}
      {failed > 0 && <Text size="sm">{t('push.failed', { count: failed })}</Text>}
    </>
  )
}
