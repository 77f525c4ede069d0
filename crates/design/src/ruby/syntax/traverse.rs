//! Visits the children of a node, and copies node handles. Prism's `Visit::visit` both dispatches and descends. A
//! visitor that overrides `visit`, for example to count or to stop, cannot descend from there. `visit_children` does.

use ruby_prism::{Node, Visit};

/// Visits the children of a node, but not the node itself.
pub(crate) fn visit_children<'pr, V: Visit<'pr>>(visitor: &mut V, node: &Node<'pr>) {
    Dispatcher(visitor).visit(node);
}

/// Dispatches on the kind of node and passes its children to the visitor.
struct Dispatcher<'v, V>(&'v mut V);

macro_rules! dispatch {
    ($($visit:ident $node:ident)*) => {
        impl<'pr, V: Visit<'pr>> Visit<'pr> for Dispatcher<'_, V> {
            $(fn $visit(&mut self, node: &ruby_prism::$node<'pr>) {
                ruby_prism::$visit(self.0, node);
            })*
        }

        /// A copy of a node handle. A handle is a pointer, but does not implement `Clone`.
        pub(crate) fn clone_handle<'pr>(node: &Node<'pr>) -> Node<'pr> {
            match node {
                $(Node::$node { parser, pointer, marker } => Node::$node {
                    parser: *parser,
                    pointer: *pointer,
                    marker: *marker,
                },)*
            }
        }
    };
}

dispatch! {
    visit_alias_global_variable_node AliasGlobalVariableNode
    visit_alias_method_node AliasMethodNode
    visit_alternation_pattern_node AlternationPatternNode
    visit_and_node AndNode
    visit_arguments_node ArgumentsNode
    visit_array_node ArrayNode
    visit_array_pattern_node ArrayPatternNode
    visit_assoc_node AssocNode
    visit_assoc_splat_node AssocSplatNode
    visit_back_reference_read_node BackReferenceReadNode
    visit_begin_node BeginNode
    visit_block_argument_node BlockArgumentNode
    visit_block_local_variable_node BlockLocalVariableNode
    visit_block_node BlockNode
    visit_block_parameter_node BlockParameterNode
    visit_block_parameters_node BlockParametersNode
    visit_break_node BreakNode
    visit_call_and_write_node CallAndWriteNode
    visit_call_node CallNode
    visit_call_operator_write_node CallOperatorWriteNode
    visit_call_or_write_node CallOrWriteNode
    visit_call_target_node CallTargetNode
    visit_capture_pattern_node CapturePatternNode
    visit_case_match_node CaseMatchNode
    visit_case_node CaseNode
    visit_class_node ClassNode
    visit_class_variable_and_write_node ClassVariableAndWriteNode
    visit_class_variable_operator_write_node ClassVariableOperatorWriteNode
    visit_class_variable_or_write_node ClassVariableOrWriteNode
    visit_class_variable_read_node ClassVariableReadNode
    visit_class_variable_target_node ClassVariableTargetNode
    visit_class_variable_write_node ClassVariableWriteNode
    visit_constant_and_write_node ConstantAndWriteNode
    visit_constant_operator_write_node ConstantOperatorWriteNode
    visit_constant_or_write_node ConstantOrWriteNode
    visit_constant_path_and_write_node ConstantPathAndWriteNode
    visit_constant_path_node ConstantPathNode
    visit_constant_path_operator_write_node ConstantPathOperatorWriteNode
    visit_constant_path_or_write_node ConstantPathOrWriteNode
    visit_constant_path_target_node ConstantPathTargetNode
    visit_constant_path_write_node ConstantPathWriteNode
    visit_constant_read_node ConstantReadNode
    visit_constant_target_node ConstantTargetNode
    visit_constant_write_node ConstantWriteNode
    visit_def_node DefNode
    visit_defined_node DefinedNode
    visit_else_node ElseNode
    visit_embedded_statements_node EmbeddedStatementsNode
    visit_embedded_variable_node EmbeddedVariableNode
    visit_ensure_node EnsureNode
    visit_error_recovery_node ErrorRecoveryNode
    visit_false_node FalseNode
    visit_find_pattern_node FindPatternNode
    visit_flip_flop_node FlipFlopNode
    visit_float_node FloatNode
    visit_for_node ForNode
    visit_forwarding_arguments_node ForwardingArgumentsNode
    visit_forwarding_parameter_node ForwardingParameterNode
    visit_forwarding_super_node ForwardingSuperNode
    visit_global_variable_and_write_node GlobalVariableAndWriteNode
    visit_global_variable_operator_write_node GlobalVariableOperatorWriteNode
    visit_global_variable_or_write_node GlobalVariableOrWriteNode
    visit_global_variable_read_node GlobalVariableReadNode
    visit_global_variable_target_node GlobalVariableTargetNode
    visit_global_variable_write_node GlobalVariableWriteNode
    visit_hash_node HashNode
    visit_hash_pattern_node HashPatternNode
    visit_if_node IfNode
    visit_imaginary_node ImaginaryNode
    visit_implicit_node ImplicitNode
    visit_implicit_rest_node ImplicitRestNode
    visit_in_node InNode
    visit_index_and_write_node IndexAndWriteNode
    visit_index_operator_write_node IndexOperatorWriteNode
    visit_index_or_write_node IndexOrWriteNode
    visit_index_target_node IndexTargetNode
    visit_instance_variable_and_write_node InstanceVariableAndWriteNode
    visit_instance_variable_operator_write_node InstanceVariableOperatorWriteNode
    visit_instance_variable_or_write_node InstanceVariableOrWriteNode
    visit_instance_variable_read_node InstanceVariableReadNode
    visit_instance_variable_target_node InstanceVariableTargetNode
    visit_instance_variable_write_node InstanceVariableWriteNode
    visit_integer_node IntegerNode
    visit_interpolated_match_last_line_node InterpolatedMatchLastLineNode
    visit_interpolated_regular_expression_node InterpolatedRegularExpressionNode
    visit_interpolated_string_node InterpolatedStringNode
    visit_interpolated_symbol_node InterpolatedSymbolNode
    visit_interpolated_x_string_node InterpolatedXStringNode
    visit_it_local_variable_read_node ItLocalVariableReadNode
    visit_it_parameters_node ItParametersNode
    visit_keyword_hash_node KeywordHashNode
    visit_keyword_rest_parameter_node KeywordRestParameterNode
    visit_lambda_node LambdaNode
    visit_local_variable_and_write_node LocalVariableAndWriteNode
    visit_local_variable_operator_write_node LocalVariableOperatorWriteNode
    visit_local_variable_or_write_node LocalVariableOrWriteNode
    visit_local_variable_read_node LocalVariableReadNode
    visit_local_variable_target_node LocalVariableTargetNode
    visit_local_variable_write_node LocalVariableWriteNode
    visit_match_last_line_node MatchLastLineNode
    visit_match_predicate_node MatchPredicateNode
    visit_match_required_node MatchRequiredNode
    visit_match_write_node MatchWriteNode
    visit_module_node ModuleNode
    visit_multi_target_node MultiTargetNode
    visit_multi_write_node MultiWriteNode
    visit_next_node NextNode
    visit_nil_node NilNode
    visit_no_block_parameter_node NoBlockParameterNode
    visit_no_keywords_parameter_node NoKeywordsParameterNode
    visit_numbered_parameters_node NumberedParametersNode
    visit_numbered_reference_read_node NumberedReferenceReadNode
    visit_optional_keyword_parameter_node OptionalKeywordParameterNode
    visit_optional_parameter_node OptionalParameterNode
    visit_or_node OrNode
    visit_parameters_node ParametersNode
    visit_parentheses_node ParenthesesNode
    visit_pinned_expression_node PinnedExpressionNode
    visit_pinned_variable_node PinnedVariableNode
    visit_post_execution_node PostExecutionNode
    visit_pre_execution_node PreExecutionNode
    visit_program_node ProgramNode
    visit_range_node RangeNode
    visit_rational_node RationalNode
    visit_redo_node RedoNode
    visit_regular_expression_node RegularExpressionNode
    visit_required_keyword_parameter_node RequiredKeywordParameterNode
    visit_required_parameter_node RequiredParameterNode
    visit_rescue_modifier_node RescueModifierNode
    visit_rescue_node RescueNode
    visit_rest_parameter_node RestParameterNode
    visit_retry_node RetryNode
    visit_return_node ReturnNode
    visit_self_node SelfNode
    visit_shareable_constant_node ShareableConstantNode
    visit_singleton_class_node SingletonClassNode
    visit_source_encoding_node SourceEncodingNode
    visit_source_file_node SourceFileNode
    visit_source_line_node SourceLineNode
    visit_splat_node SplatNode
    visit_statements_node StatementsNode
    visit_string_node StringNode
    visit_super_node SuperNode
    visit_symbol_node SymbolNode
    visit_true_node TrueNode
    visit_undef_node UndefNode
    visit_unless_node UnlessNode
    visit_until_node UntilNode
    visit_when_node WhenNode
    visit_while_node WhileNode
    visit_x_string_node XStringNode
    visit_yield_node YieldNode
}
