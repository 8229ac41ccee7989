// fast-check with the same values in every run of the suite; ROWJET_SEED gives others.
import fc from 'fast-check'

const seed = Number(process.env.ROWJET_SEED ?? 20261130)
fc.configureGlobal({ seed })
console.log(`fast-check: seed ${seed}`)

export default fc
