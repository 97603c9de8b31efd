package scenario

import "testing"

// TestEveryKeyOfAScenarioIsOfItsSettingOrNot: every key of a scenario is either copied or left out with a reason.
func TestEveryKeyOfAScenarioIsOfItsSettingOrNot(t *testing.T) {
	t.Parallel()
	known := map[string]bool{}
	for _, key := range scenarioFields.names() {
		known[key] = true
		if why := notOfSetting[key]; settingKeys[key] == (why != "") {
			t.Errorf("%q: in the setting %v, left out because %q: one of them must be so", key, settingKeys[key], why)
		}
	}
	for key := range settingKeys {
		if !known[key] {
			t.Errorf("%q is no key of a scenario", key)
		}
	}
	for key := range notOfSetting {
		if !known[key] {
			t.Errorf("%q is no key of a scenario", key)
		}
	}
}
