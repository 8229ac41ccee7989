// What the commands of this repository make of their arguments.
import { parseArgs } from 'node:util'

/** Ends the program, with 2, for arguments that can't be. */
export function usage(message) {
  console.error(message)
  process.exit(2)
}

/** As parseArgs of node:util; what it does not know ends the program with a line that says so. */
export function options(config) {
  try {
    return parseArgs(config)
  } catch (error) {
    return usage(error.message)
  }
}

/** A whole number from 1 to `most`, of an option's text. */
export function whole(name, text, most = 1e9) {
  if (!/^[1-9]\d*$/.test(text) || Number(text) > most) usage(`${name} is a whole number from 1 to ${most}, not ${JSON.stringify(text)}`)
  return Number(text)
}

/** A number above 0, up to `most`. */
export function above0(name, text, most = 1e6) {
  const value = Number(text)
  if (text.trim() === '' || !(value > 0 && value <= most)) usage(`${name} is a number above 0, up to ${most}, not ${JSON.stringify(text)}`)
  return value
}
