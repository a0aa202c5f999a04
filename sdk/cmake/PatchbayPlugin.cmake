# patchbay_add_plugin
