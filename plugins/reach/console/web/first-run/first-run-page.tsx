import { Stepper } from '@mantine/core'
import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { t } from '../i18n/words.ts'
import { Page } from '../ui/page.tsx'
import { ModelStep } from './model-step.tsx'
import { PasswordStep } from './password-step.tsx'
import { SayHello } from './say-hello.tsx'

/** Sets up a fresh server in three steps, each of which can be skipped. */
export default function FirstRunPage() {
  const [step, setStep] = useState(0)
  const navigate = useNavigate()
  const next = () => setStep((step) => step + 1)
  return (
    <Page title={t('first-run.title')} about={t('first-run.about')}>
      <Stepper active={step} onStepClick={setStep} size="sm" maw={640}>
        <Stepper.Step label={t('first-run.password')}>
          <PasswordStep onNext={next} />
        </Stepper.Step>
        <Stepper.Step label={t('first-run.model')}>
          <ModelStep onNext={next} />
        </Stepper.Step>
        <Stepper.Step label={t('first-run.hello')}>
          <SayHello onDone={() => navigate({ to: '/' })} />
        </Stepper.Step>
      </Stepper>
    </Page>
  )
}
