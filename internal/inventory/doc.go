// Package inventory lists what the scenarios of a project use: their checks in every form, their evals, their prompts,
// and the judges that these need.
package inventory
